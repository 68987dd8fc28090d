-- The ids of all conversations in a database of llm, in both layouts: of conversations and threads, which share them,
-- of responses and turns without one, of chats in the table of its first versions, of messages that no thread leads to.
SELECT id
FROM conversations
WHERE id IS NOT NULL
UNION
SELECT id
FROM threads
WHERE id IS NOT NULL
UNION
SELECT coalesce(conversation_id, id)
FROM responses
WHERE coalesce(conversation_id, id) IS NOT NULL
UNION
SELECT coalesce(thread_id, id)
FROM turns
WHERE coalesce(thread_id, id) IS NOT NULL
UNION
SELECT 'logs-' || coalesce(chat_id, id)
FROM logs
WHERE coalesce(chat_id, id) IS NOT NULL
UNION
SELECT tip.hash
FROM messages AS tip
WHERE
    tip.hash IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM messages AS child WHERE child.parent_hash = tip.hash)
    AND NOT EXISTS (SELECT 1 FROM threads WHERE threads.tip_message_hash = tip.hash)
    AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.tip_message_hash = tip.hash)
    AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.parent_message_hash = tip.hash)
ORDER BY 1;
