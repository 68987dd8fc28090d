-- How many of the chunks of some segments are there and are found.
SELECT
    segment.first_number,
    (
        SELECT count(*)
        FROM derived.qa_chunks AS chunk
        WHERE
            chunk.chunk_number BETWEEN segment.first_number AND segment.last_number
            AND NOT chunk.is_near_duplicate
    )
    + (
        SELECT count(*)
        FROM derived.message_chunks AS chunk
        WHERE
            chunk.chunk_number BETWEEN segment.first_number AND segment.last_number
            AND NOT chunk.is_near_duplicate
    )
    + (
        SELECT count(*)
        FROM derived.document_chunks AS chunk
        WHERE chunk.chunk_number BETWEEN segment.first_number AND segment.last_number
    ) AS live_count
FROM derived.search_segments AS segment
WHERE segment.first_number = ANY(%(first_numbers)s::bigint []);
