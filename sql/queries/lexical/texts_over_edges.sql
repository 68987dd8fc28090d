-- The texts of some chunks by their numbers, each with the next chunk of the same text, without what that repeats.
SELECT
    chunk.chunk_number,
    concat(
        chunk.text,
        CASE WHEN following.start_offset > chunk.end_offset THEN ' ' END,
        substr(following.text, greatest(chunk.end_offset - following.start_offset, 0) + 1)
    ) AS text,
    chunk.language::text AS language
FROM unnest(%(numbers)s::bigint []) AS asked (chunk_number)
INNER JOIN derived.all_chunks AS chunk ON asked.chunk_number = chunk.chunk_number
INNER JOIN derived.all_chunks AS following
    ON
        chunk.chunk_number + 1 = following.chunk_number
        AND chunk.chunk_index + 1 = following.chunk_index;
