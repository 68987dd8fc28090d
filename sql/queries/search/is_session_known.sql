-- Whether a dialogue has an id in its source.
SELECT exists(SELECT FROM raw.dialogues AS dialogue WHERE dialogue.source_id = %(session)s) AS is_known;
