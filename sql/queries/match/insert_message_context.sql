INSERT INTO derived.message_contexts (
    message_id, dialogue_id, context_parent_id, context_hash, normalized_hash, prompt_path_hash
)
VALUES (
    %(message_id)s, %(dialogue_id)s, %(context_parent_id)s, %(context_hash)s, %(normalized_hash)s,
    %(prompt_path_hash)s
)
ON CONFLICT (message_id, dialogue_id) DO NOTHING;
