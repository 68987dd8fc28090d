-- The first segment that ends after a number.
SELECT
    segment.first_number,
    segment.last_number
FROM derived.search_segments AS segment
WHERE segment.last_number > %(number)s
ORDER BY segment.first_number
LIMIT 1;
