-- How many messages all dialogues have.
SELECT coalesce(sum(dialogue.message_count), 0)::bigint AS messages
FROM raw.dialogues AS dialogue;
