-- Note the version of the reader that found dialogues as they are stored, in one vintage each.
UPDATE raw.dialogue_vintages AS stored
SET reader_version = given.reader_version
FROM
    unnest(%(dialogue_id)s::uuid [], %(vintage)s::text [], %(reader_version)s::integer [])
        AS given (dialogue_id, vintage, reader_version)
WHERE stored.dialogue_id = given.dialogue_id AND stored.vintage = given.vintage;
