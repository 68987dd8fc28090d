-- The texts of some chunks by their numbers, each with the next chunk of the same text and how much that repeats, which
-- offsets do not tell where citation marks were taken out of one.
SELECT
    chunk.chunk_number,
    chunk.text,
    following.text AS following_text,
    CASE
        WHEN
            length(chunk.text) = chunk.end_offset - chunk.start_offset
            AND length(following.text) = following.end_offset - following.start_offset
            THEN chunk.end_offset - following.start_offset
    END AS overlap,
    chunk.language::text AS language
FROM unnest(%(numbers)s::bigint []) AS asked (chunk_number)
INNER JOIN derived.all_chunks AS chunk ON asked.chunk_number = chunk.chunk_number
INNER JOIN derived.all_chunks AS following
    ON
        chunk.chunk_number + 1 = following.chunk_number
        AND chunk.chunk_index + 1 = following.chunk_index;
