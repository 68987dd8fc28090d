INSERT INTO raw.attachment_contents (sha256, size_bytes, media_type)
VALUES (%(sha256)s, %(size_bytes)s, %(media_type)s)
ON CONFLICT DO NOTHING;
