-- Chunks with what results show of them and filters ask about. Chunks that repeat other answers to the same question
-- are left out.
CREATE OR REPLACE VIEW derived.searchable_chunks AS
SELECT
    chunk.chunk_id,
    chunk.pair_id,
    chunk.dialogue_id,
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
    chunk.search_vector,
    pair.pair_type,
    page.is_on_primary_path,
    exchange.first_message_id AS question_message_id,
    exchange.last_message_id AS answer_message_id,
    message.model,
    message.created_at AS answered_at,
    dialogue.source,
    dialogue.partition_key,
    dialogue.title,
    dialogue.source_created_at
FROM derived.qa_chunks AS chunk
INNER JOIN derived.qa_pairs AS pair
    ON chunk.pair_id = pair.pair_id
INNER JOIN derived.dialogue_pages AS page
    ON
        chunk.dialogue_id = page.dialogue_id
        AND chunk.page = page.page
INNER JOIN derived.exchanges AS exchange
    ON page.exchange_id = exchange.id
INNER JOIN raw.dialogues AS dialogue
    ON chunk.dialogue_id = dialogue.id
INNER JOIN raw.messages AS message
    ON
        pair.dialogue_id = message.dialogue_id
        AND pair.end_sequence_number = message.sequence_number
WHERE NOT chunk.is_near_duplicate;
