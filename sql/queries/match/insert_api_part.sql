INSERT INTO raw.content_parts (
    id, message_id, dialogue_id, sequence, part_type, source_type, text_content, tool_name, tool_use_id, tool_input,
    is_error, language, mime_type, uri, source_json, content_sha256
)
VALUES (
    %(id)s, %(message_id)s, %(dialogue_id)s, %(sequence)s, %(part_type)s, %(source_type)s, %(text_content)s,
    %(tool_name)s, %(tool_use_id)s, %(tool_input)s, %(is_error)s, %(language)s, %(mime_type)s, %(uri)s,
    %(source_json)s, %(content_sha256)s
)
ON CONFLICT (id, dialogue_id) DO NOTHING;
