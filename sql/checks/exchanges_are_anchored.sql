-- Exchanges whose first or last message is deleted, or that continue an exchange which the dialogue does not have.
SELECT
    exchange.dialogue_id::text AS dialogue_id,
    exchange.id::text AS entity_id,
    CASE
        WHEN first_message.deleted_at IS NOT NULL THEN 'first message is deleted'
        WHEN last_message.deleted_at IS NOT NULL THEN 'last message is deleted'
        ELSE 'continues an exchange that is not there'
    END AS problem
FROM checked
INNER JOIN derived.exchanges AS exchange
    ON checked.dialogue_id = exchange.dialogue_id
INNER JOIN raw.messages AS first_message
    ON
        exchange.first_message_id = first_message.id
        AND exchange.dialogue_id = first_message.dialogue_id
INNER JOIN raw.messages AS last_message
    ON
        exchange.last_message_id = last_message.id
        AND exchange.dialogue_id = last_message.dialogue_id
LEFT JOIN derived.exchanges AS previous
    ON
        exchange.continuation_of_id = previous.id
        AND exchange.dialogue_id = previous.dialogue_id
WHERE
    first_message.deleted_at IS NOT NULL
    OR last_message.deleted_at IS NOT NULL
    OR (exchange.continuation_of_id IS NOT NULL AND previous.id IS NULL);
