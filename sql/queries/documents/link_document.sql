-- A message that is not there has no dialogue, which is refused.
INSERT INTO raw.document_attachments (document_id, message_id, dialogue_id)
SELECT
    %(id)s,
    named.message_id,
    message.dialogue_id
FROM unnest(%(message_ids)s::uuid []) AS named (message_id)
LEFT JOIN raw.messages AS message
    ON named.message_id = message.id
ON CONFLICT DO NOTHING;
