-- A message that was sent through the API; if it was there before and deleted, it comes back to life.
INSERT INTO raw.messages (
    id, dialogue_id, source_id, parent_id, source_parent_id, parent_flag, role, sequence_number, created_at,
    updated_at, model, author_name, recipient, channel, state, is_hidden, content_hash, source_json, request_options,
    origin
)
VALUES (
    %(id)s, %(dialogue_id)s, %(source_id)s, %(parent_id)s, %(source_parent_id)s, %(parent_flag)s, %(role)s,
    %(sequence_number)s, %(created_at)s, %(updated_at)s, %(model)s, %(author_name)s, %(recipient)s, %(channel)s,
    %(state)s, %(is_hidden)s, %(content_hash)s, %(source_json)s, %(request_options)s, 'api'
)
ON CONFLICT (id, dialogue_id) DO UPDATE SET deleted_at = NULL;
