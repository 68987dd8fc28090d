-- The segments in order.
SELECT
    segment.first_number,
    segment.last_number,
    segment.chunk_count
FROM derived.search_segments AS segment
ORDER BY segment.first_number;
