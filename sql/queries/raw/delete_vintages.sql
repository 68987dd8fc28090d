DELETE FROM raw.dialogue_vintages
WHERE dialogue_id = %(dialogue_id)s AND vintage = ANY(%(vintages)s::text []);
