UPDATE raw.messages SET deleted_at = now()
WHERE dialogue_id = %(dialogue_id)s::uuid AND id = ANY(%(message_ids)s::uuid []);
