-- What the visual collection of a vector store holds: the pages of dialogues, once per model.
CREATE OR REPLACE VIEW derived.page_entries AS
SELECT
    generation.generation_id,
    page.dialogue_id,
    page.page,
    page.dialogue_id::text || ':' || page.page AS entry_id,
    md5(
        concat_ws(
            chr(31), exchanges_state.fingerprint, exchanges_state.code_version, chunks_state.fingerprint,
            chunks_state.code_version, coalesce(dialogue.title, ''), dialogue.source,
            extract(EPOCH FROM dialogue.source_created_at)
        )
    ) AS entry_hash,
    content.user_text,
    content.assistant_text,
    dialogue.title,
    dialogue.source,
    dialogue.partition_key,
    dialogue.source_created_at
FROM derived.dialogue_pages AS page
INNER JOIN derived.exchange_content AS content
    ON page.exchange_id = content.exchange_id
INNER JOIN raw.dialogues AS dialogue
    ON page.dialogue_id = dialogue.id
CROSS JOIN derived.embedding_generations AS generation
LEFT JOIN derived.build_state AS exchanges_state
    ON
        page.dialogue_id = exchanges_state.dialogue_id
        AND exchanges_state.asset = 'exchanges'
LEFT JOIN derived.build_state AS chunks_state
    ON
        page.dialogue_id = chunks_state.dialogue_id
        AND chunks_state.asset = 'qa_chunks';
