-- What is shown of some chunks, those that the filters let through.
SELECT
    chunk.chunk_id::text AS chunk_id,
    chunk.doc_id::text AS doc_id,
    chunk.page,
    chunk.side,
    chunk.role,
    chunk.text,
    chunk.content_hash,
    chunk.pair_id,
    chunk.pair_type,
    chunk.workspace_id,
    chunk.session_id,
    chunk.is_on_primary_path,
    chunk.question_message_id::text AS question_message_id,
    chunk.answer_message_id::text AS answer_message_id,
    chunk.model,
    chunk.happened_at,
    chunk.source,
    chunk.partition_key,
    chunk.filename,
    chunk.extension,
    chunk.created_at,
    chunk.added_at,
    chunk.section_path,
    chunk.parent_heading,
    chunk.image_path,
    chunk.thumb_path
FROM derived.searchable_chunks AS chunk
WHERE
    chunk.chunk_id = ANY(%(chunk_ids)s::uuid [])
    AND {conditions};
