-- Was the dialogue deleted for good?
SELECT deleted.source_id
FROM raw.deleted_dialogues AS deleted
WHERE deleted.source = %(source)s AND deleted.source_id = %(source_id)s;
