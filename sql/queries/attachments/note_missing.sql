-- Where the missing files of some dialogues were looked for.
UPDATE raw.attached_files
SET
    looked_in = %(looked_in)s,
    looked_at = now()
WHERE dialogue_id = ANY(%(dialogue_ids)s::uuid []) AND sha256 IS NULL;
