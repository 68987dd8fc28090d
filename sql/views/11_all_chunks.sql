-- The chunks of question-answer pairs, of what messages say in none, and of the pages of documents.
CREATE OR REPLACE VIEW derived.all_chunks AS
SELECT
    chunk.chunk_id,
    chunk.dialogue_id AS doc_id,
    chunk.page,
    chunk.pair_id,
    chunk.side,
    chunk.chunk_index,
    chunk.start_offset,
    chunk.end_offset,
    chunk.text,
    chunk.content_hash,
    chunk.is_near_duplicate,
    chunk.language,
    chunk.chunk_number
FROM derived.qa_chunks AS chunk
UNION ALL
SELECT
    chunk.chunk_id,
    chunk.dialogue_id AS doc_id,
    chunk.page,
    NULL::text AS pair_id,
    NULL::text AS side,
    chunk.chunk_index,
    chunk.start_offset,
    chunk.end_offset,
    chunk.text,
    chunk.content_hash,
    chunk.is_near_duplicate,
    chunk.language,
    chunk.chunk_number
FROM derived.message_chunks AS chunk
UNION ALL
SELECT
    chunk.chunk_id,
    chunk.document_id AS doc_id,
    chunk.page,
    NULL::text AS pair_id,
    NULL::text AS side,
    chunk.chunk_index,
    chunk.start_offset,
    chunk.end_offset,
    chunk.text,
    chunk.content_hash,
    FALSE AS is_near_duplicate,
    chunk.language,
    chunk.chunk_number
FROM derived.document_chunks AS chunk;
