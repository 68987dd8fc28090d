-- The next entries of the visual collection that are missing in an index or were made from something else, each with
-- the vectors of the page's chunks.
WITH stale AS (
    SELECT wanted.*
    FROM derived.page_entries AS wanted
    LEFT JOIN derived.vector_index_entries AS entry
        ON
            entry.index_id = %(index_id)s
            AND entry.collection = 'visual'
            AND wanted.entry_id = entry.entry_id
    WHERE
        wanted.generation_id = %(generation_id)s
        AND (wanted.doc_id, wanted.page) > (%(after_document)s::uuid, %(after_page)s::integer)
        AND entry.entry_hash IS DISTINCT FROM wanted.entry_hash
    ORDER BY wanted.doc_id, wanted.page
    LIMIT %(number)s
)

SELECT
    stale.entry_id,
    stale.entry_hash,
    stale.doc_id::text AS doc_id,
    stale.page,
    stale.source,
    stale.filename,
    stale.extension,
    stale.source_path,
    stale.created_at,
    stale.added_at,
    stale.section_path,
    stale.parent_heading,
    stale.image_path,
    stale.thumb_path,
    stale.user_text,
    stale.assistant_text,
    stale.markdown,
    stale.num_headings,
    stale.num_tables,
    stale.num_pictures,
    coalesce(of_page.vectors, '{}') AS vectors
FROM stale
LEFT JOIN LATERAL (
    SELECT array_agg(embedding.vector ORDER BY chunk.chunk_id) AS vectors
    FROM derived.all_chunks AS chunk
    INNER JOIN derived.chunk_embeddings AS embedding
        ON chunk.content_hash = embedding.content_hash
    WHERE
        chunk.doc_id = stale.doc_id
        AND chunk.page = stale.page
        AND embedding.generation_id = %(generation_id)s
) AS of_page ON TRUE
ORDER BY stale.doc_id, stale.page;
