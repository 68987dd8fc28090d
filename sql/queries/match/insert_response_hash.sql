INSERT INTO derived.response_hashes (
    response_message_id, dialogue_id, parent_response_id, prompt_hash, response_hash, path_hash, context_hash
)
VALUES (
    %(response_message_id)s, %(dialogue_id)s, %(parent_response_id)s, %(prompt_hash)s, %(response_hash)s,
    %(path_hash)s, %(context_hash)s
)
ON CONFLICT (response_message_id, dialogue_id) DO NOTHING;
