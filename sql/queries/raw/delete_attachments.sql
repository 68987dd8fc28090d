DELETE FROM raw.attachments
WHERE dialogue_id = %(dialogue_id)s::uuid AND message_id = ANY(%(message_ids)s::uuid []);
