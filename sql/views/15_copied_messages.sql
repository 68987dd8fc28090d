-- Live messages of dialogues that begin with a copy of another one, which that one has too: what counts messages
-- counts them there. An original that is a branch itself begins with the copies that it shares.
CREATE OR REPLACE VIEW derived.copied_messages AS
SELECT
    message.id AS message_id,
    message.dialogue_id,
    link.original_id
FROM raw.dialogue_links AS link
INNER JOIN raw.messages AS message
    ON link.dialogue_id = message.dialogue_id
INNER JOIN raw.messages AS original
    ON
        link.original_id = original.dialogue_id
        AND message.source_id = original.source_id
WHERE
    link.shared_messages > 0
    AND message.deleted_at IS NULL
    AND original.deleted_at IS NULL;
