INSERT INTO raw.attachments (
    id, message_id, dialogue_id, sequence, source_id, file_name, mime_type, size_bytes, uri, extracted_text,
    source_json, content_sha256
)
VALUES (
    %(id)s, %(message_id)s, %(dialogue_id)s, %(sequence)s, %(source_id)s, %(file_name)s, %(mime_type)s,
    %(size_bytes)s, %(uri)s, %(extracted_text)s, %(source_json)s, %(content_sha256)s
)
ON CONFLICT (id, dialogue_id) DO NOTHING;
