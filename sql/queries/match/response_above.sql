-- The nearest response on the way to a message, itself included, and the hash of its path, which is made with the
-- options of all requests on it.
WITH RECURSIVE way AS (
    SELECT
        context.dialogue_id,
        context.message_id,
        context.context_parent_id,
        message.role
    FROM derived.message_contexts AS context
    INNER JOIN raw.messages AS message
        ON
            context.message_id = message.id
            AND context.dialogue_id = message.dialogue_id
    WHERE context.message_id = %(message_id)s
    UNION ALL
    SELECT
        above.dialogue_id,
        above.message_id,
        above.context_parent_id,
        message.role
    FROM way
    INNER JOIN derived.message_contexts AS above
        ON
            way.context_parent_id = above.message_id
            AND way.dialogue_id = above.dialogue_id
    INNER JOIN raw.messages AS message
        ON
            above.message_id = message.id
            AND above.dialogue_id = message.dialogue_id
    WHERE way.role <> 'assistant'
)

SELECT
    way.message_id::text AS message_id,
    known.path_hash
FROM way
LEFT JOIN derived.response_hashes AS known
    ON
        way.message_id = known.response_message_id
        AND way.dialogue_id = known.dialogue_id
WHERE way.role = 'assistant';
