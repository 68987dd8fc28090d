-- Says something about a dialogue or message, unless it is said.
INSERT INTO annotations.annotations (id, dialogue_id, message_id, kind, text)
VALUES (%(id)s, %(dialogue_id)s, %(message_id)s, %(kind)s, %(text)s)
ON CONFLICT (id, dialogue_id) DO NOTHING;
