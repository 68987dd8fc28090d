-- Chunks that are not what their pair's side says between the offsets, among up to 1,000 of them. PostgreSQL goes
-- through a side from its beginning for each of its chunks: 100 MB of sides in all are enough. Sizes are known unread.
-- Of what has citation marks, chunks have what readers see of it, which is shorter.
WITH chunk AS (
    SELECT
        looked_at.chunk_id,
        looked_at.dialogue_id,
        looked_at.text,
        looked_at.start_offset,
        looked_at.end_offset,
        pair.pair_id,
        CASE looked_at.side WHEN 'question' THEN pair.question ELSE pair.answer END AS side_text
    FROM (
        SELECT candidate.*
        FROM checked
        INNER JOIN derived.qa_chunks AS candidate
            ON checked.dialogue_id = candidate.dialogue_id
        ORDER BY candidate.chunk_id
        LIMIT 1000
    ) AS looked_at
    LEFT JOIN derived.qa_pairs AS pair
        ON
            looked_at.pair_id = pair.pair_id
            AND looked_at.dialogue_id = pair.dialogue_id
),

sized AS (
    SELECT
        chunk.*,
        sum(octet_length(chunk.side_text)) OVER (
            ORDER BY chunk.chunk_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS bytes_before
    FROM chunk
)

SELECT
    sized.dialogue_id::text AS dialogue_id,
    sized.chunk_id::text AS entity_id,
    CASE WHEN sized.pair_id IS NULL THEN 'no such pair' ELSE 'text is not that of the pair' END AS problem
FROM sized
CROSS JOIN
    LATERAL (
        SELECT
            CASE
                WHEN coalesce(sized.bytes_before, 0) < 100000000
                    THEN substr(sized.side_text, sized.start_offset + 1, sized.end_offset - sized.start_offset)
            END AS text
    ) AS slice
WHERE
    sized.pair_id IS NULL
    OR (
        sized.text <> slice.text
        AND (slice.text !~ '[\uE200\uE202]|\\ue20' OR length(sized.text) >= length(slice.text))
    );
