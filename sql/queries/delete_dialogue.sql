-- Everything that belongs to the dialogue goes with it, by foreign keys.
DELETE FROM raw.dialogues WHERE id = %(id)s;
