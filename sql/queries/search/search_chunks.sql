-- What is shown of some chunks, those that the filters let through. Each is looked up by itself (OFFSET 0): the planner
-- joins the chunks of the whole archive to a table of some, and takes a long array for one row.
SELECT
    chunk.chunk_id::text AS chunk_id,
    chunk.doc_id::text AS doc_id,
    chunk.page,
    chunk.side,
    chunk.role,
    chunk.text,
    chunk.content_hash,
    chunk.pair_id,
    chunk.part_id::text AS part_id,
    chunk.pair_type,
    chunk.workspace_id,
    chunk.session_id,
    chunk.is_on_primary_path,
    chunk.question_message_id::text AS question_message_id,
    chunk.answer_message_id::text AS answer_message_id,
    chunk.message_id::text AS message_id,
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
FROM
    unnest(%(chunk_ids)s::uuid []) AS wanted (chunk_id),
    LATERAL (
        SELECT found.*
        FROM derived.searchable_chunks AS found
        WHERE found.chunk_id = wanted.chunk_id
        LIMIT ALL OFFSET 0 -- noqa: AM09
    ) AS chunk
WHERE {conditions};
