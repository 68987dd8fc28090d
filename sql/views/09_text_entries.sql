-- What the text collection of a vector store holds: chunks that have a vector, once per model. Chunks that repeat what
-- other answers to the same question say are left out.
CREATE OR REPLACE VIEW derived.text_entries AS
SELECT
    embedding.generation_id,
    chunk.chunk_id,
    chunk.chunk_id::text AS entry_id,
    md5(
        concat_ws(
            chr(31), chunk.content_hash, chunk.pair_id, chunk.page, chunk.start_offset, coalesce(dialogue.title, ''),
            dialogue.source, extract(EPOCH FROM dialogue.source_created_at)
        )
    ) AS entry_hash,
    chunk.pair_id,
    chunk.dialogue_id,
    chunk.side,
    chunk.chunk_index,
    chunk.start_offset,
    chunk.end_offset,
    chunk.text,
    chunk.page,
    chunk.content_hash,
    dialogue.title,
    dialogue.source,
    dialogue.partition_key,
    dialogue.source_created_at,
    embedding.vector
FROM derived.qa_chunks AS chunk
INNER JOIN derived.chunk_embeddings AS embedding
    ON chunk.content_hash = embedding.content_hash
INNER JOIN raw.dialogues AS dialogue
    ON chunk.dialogue_id = dialogue.id
WHERE NOT chunk.is_near_duplicate;
