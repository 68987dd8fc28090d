-- A message that is stored keeps its sequence number; one that was soft-deleted comes back to life. One that the API
-- added and that an export has now is the export's.
INSERT INTO raw.messages (
    id, dialogue_id, source_id, parent_id, source_parent_id, parent_flag, role, sequence_number, created_at,
    updated_at, model, author_name, recipient, channel, state, is_hidden, content_hash, source_json
)
VALUES (
    %(id)s, %(dialogue_id)s, %(source_id)s, %(parent_id)s, %(source_parent_id)s, %(parent_flag)s, %(role)s,
    %(sequence_number)s, %(created_at)s, %(updated_at)s, %(model)s, %(author_name)s, %(recipient)s, %(channel)s,
    %(state)s, %(is_hidden)s, %(content_hash)s, %(source_json)s
)
ON CONFLICT (id, dialogue_id) DO UPDATE SET
    parent_id = excluded.parent_id,
    source_parent_id = excluded.source_parent_id,
    parent_flag = excluded.parent_flag,
    role = excluded.role,
    created_at = excluded.created_at,
    updated_at = excluded.updated_at,
    model = excluded.model,
    author_name = excluded.author_name,
    recipient = excluded.recipient,
    channel = excluded.channel,
    state = excluded.state,
    is_hidden = excluded.is_hidden,
    content_hash = excluded.content_hash,
    source_json = excluded.source_json,
    origin = 'import',
    deleted_at = NULL;
