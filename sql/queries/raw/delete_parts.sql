DELETE FROM raw.content_parts
WHERE dialogue_id = %(dialogue_id)s::uuid AND message_id = ANY(%(message_ids)s::uuid []);
