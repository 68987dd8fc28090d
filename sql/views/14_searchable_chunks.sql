-- Chunks with what results show of them and filters ask about. Chunks that repeat other answers to the same question,
-- or other versions of an artifact, are left out. What messages say in no pair and pages of documents have no pair, and
-- what belongs to one is NULL.
CREATE OR REPLACE VIEW derived.searchable_chunks AS
SELECT
    chunk.chunk_id,
    chunk.pair_id,
    NULL::uuid AS part_id,
    chunk.dialogue_id AS doc_id,
    chunk.page,
    chunk.side,
    CASE
        WHEN pair.pair_type = 'trace_pair' THEN CASE chunk.side WHEN 'question' THEN 'assistant' ELSE 'tool' END
        ELSE CASE chunk.side WHEN 'question' THEN 'user' ELSE 'assistant' END
    END AS role,
    chunk.start_offset,
    chunk.end_offset,
    chunk.text,
    chunk.content_hash,
    pair.pair_type,
    pair.workspace_id,
    pair.session_id,
    page.is_on_primary_path,
    CASE pair.pair_type
        WHEN 'conversation_turn' THEN pair.source_message_id
        -- Pages may begin with a system message. Of the last response and the call the later one counts: a page may end
        -- with a tool, and a user may say something between a call and its result.
        ELSE coalesce(
            (
                SELECT response.prompt_message_id
                FROM derived.prompt_responses AS response
                WHERE
                    response.dialogue_id = pair.dialogue_id
                    AND response.response_message_id IN (exchange.last_message_id, pair.source_message_id)
                    AND response.pairing_rule <> 'fallback'
                ORDER BY response.response_position DESC
                LIMIT 1
            ),
            exchange.first_message_id
        )
    END AS question_message_id,
    exchange.last_message_id AS answer_message_id,
    CASE chunk.side WHEN 'question' THEN pair.source_message_id ELSE message.id END AS message_id,
    message.model,
    message.created_at AS happened_at,
    dialogue.source,
    dialogue.partition_key,
    dialogue.title,
    CASE WHEN dialogue.title ~ '\S' THEN dialogue.title ELSE dialogue.partition_key END AS filename,
    'md' AS extension,
    dialogue.source_created_at AS created_at,
    dialogue.imported_at AS added_at,
    CASE WHEN dialogue.title ~ '\S' THEN dialogue.title ELSE dialogue.partition_key END AS section_path,
    CASE WHEN dialogue.title ~ '\S' THEN dialogue.title ELSE dialogue.partition_key END AS parent_heading,
    NULL::text AS image_path,
    NULL::text AS thumb_path
FROM derived.qa_chunks AS chunk
INNER JOIN derived.qa_pairs AS pair
    ON
        chunk.pair_id = pair.pair_id
        AND chunk.dialogue_id = pair.dialogue_id
INNER JOIN derived.dialogue_pages AS page
    ON
        chunk.dialogue_id = page.dialogue_id
        AND chunk.page = page.page
INNER JOIN derived.exchanges AS exchange
    ON
        page.exchange_id = exchange.id
        AND page.dialogue_id = exchange.dialogue_id
INNER JOIN raw.dialogues AS dialogue
    ON chunk.dialogue_id = dialogue.id
INNER JOIN raw.messages AS message
    ON
        pair.dialogue_id = message.dialogue_id
        AND pair.end_sequence_number = message.sequence_number
WHERE NOT chunk.is_near_duplicate
UNION ALL
SELECT
    chunk.chunk_id,
    NULL::text AS pair_id,
    chunk.part_id,
    chunk.dialogue_id AS doc_id,
    chunk.page,
    NULL::text AS side,
    message.role,
    chunk.start_offset,
    chunk.end_offset,
    chunk.text,
    chunk.content_hash,
    NULL::text AS pair_type,
    coalesce(dialogue.project_id, dialogue.custom_gpt_id) AS workspace_id,
    dialogue.source_id AS session_id,
    page.is_on_primary_path,
    CASE message.role
        WHEN 'user' THEN message.id
        ELSE coalesce(
            (
                SELECT response.prompt_message_id
                FROM derived.prompt_responses AS response
                WHERE
                    response.dialogue_id = message.dialogue_id
                    AND response.response_message_id = message.id
                    AND response.pairing_rule <> 'fallback'
            ),
            exchange.first_message_id
        )
    END AS question_message_id,
    exchange.last_message_id AS answer_message_id,
    message.id AS message_id,
    message.model,
    message.created_at AS happened_at,
    dialogue.source,
    dialogue.partition_key,
    dialogue.title,
    CASE WHEN dialogue.title ~ '\S' THEN dialogue.title ELSE dialogue.partition_key END AS filename,
    'md' AS extension,
    dialogue.source_created_at AS created_at,
    dialogue.imported_at AS added_at,
    CASE WHEN dialogue.title ~ '\S' THEN dialogue.title ELSE dialogue.partition_key END AS section_path,
    CASE WHEN dialogue.title ~ '\S' THEN dialogue.title ELSE dialogue.partition_key END AS parent_heading,
    NULL::text AS image_path,
    NULL::text AS thumb_path
FROM derived.message_chunks AS chunk
INNER JOIN derived.dialogue_pages AS page
    ON
        chunk.dialogue_id = page.dialogue_id
        AND chunk.page = page.page
INNER JOIN derived.exchanges AS exchange
    ON
        page.exchange_id = exchange.id
        AND page.dialogue_id = exchange.dialogue_id
INNER JOIN raw.dialogues AS dialogue
    ON chunk.dialogue_id = dialogue.id
INNER JOIN raw.messages AS message
    ON
        chunk.message_id = message.id
        AND chunk.dialogue_id = message.dialogue_id
WHERE NOT chunk.is_near_duplicate
UNION ALL
SELECT
    chunk.chunk_id,
    NULL::text AS pair_id,
    NULL::uuid AS part_id,
    chunk.document_id AS doc_id,
    chunk.page,
    NULL::text AS side,
    NULL::text AS role,
    chunk.start_offset,
    chunk.end_offset,
    chunk.text,
    chunk.content_hash,
    NULL::text AS pair_type,
    NULL::text AS workspace_id,
    NULL::text AS session_id,
    NULL::boolean AS is_on_primary_path,
    NULL::uuid AS question_message_id,
    NULL::uuid AS answer_message_id,
    NULL::uuid AS message_id,
    NULL::text AS model,
    document.added_at AS happened_at,
    'document'::text AS source,
    NULL::text AS partition_key,
    document.file_name AS title,
    document.file_name AS filename,
    document.extension,
    NULL::timestamptz AS created_at,
    document.added_at,
    page.section_path,
    page.parent_heading,
    page.image_path,
    page.thumb_path
FROM derived.document_chunks AS chunk
INNER JOIN raw.document_pages AS page
    ON
        chunk.document_id = page.document_id
        AND chunk.page = page.page
INNER JOIN raw.documents AS document
    ON chunk.document_id = document.id;
