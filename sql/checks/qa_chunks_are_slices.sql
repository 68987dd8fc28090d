-- Chunks that are not what their pair's side says between the offsets, among up to 1,000 of them.
SELECT
    chunk.dialogue_id::text AS dialogue_id,
    chunk.chunk_id::text AS entity_id,
    CASE WHEN pair.pair_id IS NULL THEN 'no such pair' ELSE 'text is not that of the pair' END AS problem
FROM (
    SELECT looked_at.*
    FROM checked
    INNER JOIN derived.qa_chunks AS looked_at
        ON checked.dialogue_id = looked_at.dialogue_id
    ORDER BY looked_at.chunk_id
    LIMIT 1000
) AS chunk
LEFT JOIN derived.qa_pairs AS pair
    ON
        chunk.pair_id = pair.pair_id
        AND chunk.dialogue_id = pair.dialogue_id
WHERE
    pair.pair_id IS NULL
    OR chunk.text <> substr(
        CASE chunk.side WHEN 'question' THEN pair.question ELSE pair.answer END,
        chunk.start_offset + 1,
        chunk.end_offset - chunk.start_offset
    );
