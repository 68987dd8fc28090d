-- The next entries of the text collection that are missing in an index or were made from something else.
SELECT
    wanted.entry_id,
    wanted.entry_hash,
    wanted.doc_id::text AS doc_id,
    wanted.page,
    wanted.source,
    wanted.filename,
    wanted.extension,
    wanted.source_path,
    wanted.created_at,
    wanted.added_at,
    wanted.section_path,
    wanted.parent_heading,
    wanted.image_path,
    wanted.thumb_path,
    wanted.chunk_id::text AS chunk_id,
    wanted.pair_id,
    wanted.side,
    wanted.chunk_index,
    wanted.start_offset,
    wanted.end_offset,
    wanted.text,
    wanted.content_hash,
    wanted.vector
FROM derived.text_entries AS wanted
LEFT JOIN derived.vector_index_entries AS entry
    ON
        entry.index_id = %(index_id)s
        AND entry.collection = 'text'
        AND wanted.entry_id = entry.entry_id
WHERE
    wanted.generation_id = %(generation_id)s
    AND wanted.chunk_id > %(after)s
    AND entry.entry_hash IS DISTINCT FROM wanted.entry_hash
ORDER BY wanted.chunk_id
LIMIT %(number)s;
