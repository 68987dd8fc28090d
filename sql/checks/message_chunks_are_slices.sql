-- Chunks that are not what their message or part says between the offsets, among up to 1,000 of them. As of pairs,
-- texts of 100 MB in all are enough, and of what has citation marks chunks have what readers see of it.
WITH chunk AS (
    SELECT
        looked_at.chunk_id,
        looked_at.dialogue_id,
        looked_at.text,
        looked_at.start_offset,
        looked_at.end_offset,
        CASE
            WHEN looked_at.part_id IS NULL
                THEN
                    (
                        SELECT string_agg(part.text_content, E'\n\n' ORDER BY part.sequence)
                        FROM raw.messages AS message
                        INNER JOIN raw.content_parts AS part
                            ON
                                message.id = part.message_id
                                AND message.dialogue_id = part.dialogue_id
                        WHERE
                            message.id = looked_at.message_id
                            AND message.dialogue_id = looked_at.dialogue_id
                            AND message.deleted_at IS NULL
                            AND NOT message.is_hidden
                            AND part.part_type = 'text'
                            AND part.text_content <> ''
                    )
            ELSE
                (
                    SELECT part.text_content
                    FROM raw.content_parts AS part
                    WHERE
                        part.id = looked_at.part_id
                        AND part.message_id = looked_at.message_id
                        AND part.dialogue_id = looked_at.dialogue_id
                )
        END AS whole_text
    FROM (
        SELECT candidate.*
        FROM checked
        INNER JOIN derived.message_chunks AS candidate
            ON checked.dialogue_id = candidate.dialogue_id
        ORDER BY candidate.chunk_id
        LIMIT 1000
    ) AS looked_at
),

sized AS (
    SELECT
        chunk.*,
        sum(octet_length(chunk.whole_text)) OVER (
            ORDER BY chunk.chunk_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS bytes_before
    FROM chunk
)

SELECT
    sized.dialogue_id::text AS dialogue_id,
    sized.chunk_id::text AS entity_id,
    CASE WHEN sized.whole_text IS NULL THEN 'nothing says it' ELSE 'text is not that of the message' END AS problem
FROM sized
CROSS JOIN
    LATERAL (
        SELECT
            CASE
                WHEN coalesce(sized.bytes_before, 0) < 100000000
                    THEN substr(sized.whole_text, sized.start_offset + 1, sized.end_offset - sized.start_offset)
            END AS text
    ) AS slice
WHERE
    sized.whole_text IS NULL
    OR (
        sized.text <> slice.text
        AND (slice.text !~ '[\uE200\uE202]|\\ue20' OR length(sized.text) >= length(slice.text))
    );
