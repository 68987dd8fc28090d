-- Later imports bring the dialogue back.
DELETE FROM raw.deleted_dialogues WHERE source = %(source)s AND source_id = %(source_id)s;
