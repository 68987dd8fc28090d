-- What some messages point to. A file that is known from another message is kept or missing as it is there.
INSERT INTO raw.attached_files (message_id, pointer, dialogue_id, file_id, file_name, sha256, found_at)
SELECT
    new.message_id,
    new.pointer,
    new.dialogue_id,
    new.file_id,
    coalesce(new.file_name, known.file_name),
    known.sha256,
    known.found_at
FROM
    unnest(
        %(message_ids)s::uuid [], %(pointers)s::text [], %(dialogue_ids)s::uuid [], %(file_ids)s::text [],
        %(file_names)s::text []
    ) AS new (message_id, pointer, dialogue_id, file_id, file_name)
LEFT JOIN LATERAL (
    SELECT
        other.file_name,
        other.sha256,
        other.found_at
    FROM raw.attached_files AS other
    WHERE other.file_id = new.file_id AND other.sha256 IS NOT NULL
    ORDER BY other.message_id, other.pointer
    LIMIT 1
) AS known ON TRUE
ON CONFLICT (message_id, pointer, dialogue_id) DO UPDATE
    SET file_name = excluded.file_name
    WHERE excluded.file_name IS NOT NULL AND attached_files.file_name IS DISTINCT FROM excluded.file_name;
