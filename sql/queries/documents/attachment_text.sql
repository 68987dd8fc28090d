SELECT attachment.extracted_text
FROM raw.attachments AS attachment
WHERE attachment.id = %(attachment_id)s AND attachment.dialogue_id = %(dialogue_id)s;
