-- The exchanges of each sequence, in order: from the one that ends with the leaf back to the first.
CREATE OR REPLACE VIEW derived.sequence_exchanges AS
SELECT
    sequence.id AS sequence_id,
    step.exchange_id,
    step.position
FROM derived.linear_sequences AS sequence
CROSS JOIN LATERAL (
    WITH RECURSIVE step (exchange_id, position, previous_exchange_id) AS (
        SELECT
            exchange.id,
            exchange.path_position,
            exchange.previous_exchange_id
        FROM derived.exchanges AS exchange
        WHERE
            exchange.last_message_id = sequence.leaf_message_id
            AND exchange.dialogue_id = sequence.dialogue_id
        UNION ALL
        SELECT
            exchange.id,
            exchange.path_position,
            exchange.previous_exchange_id
        FROM step
        INNER JOIN derived.exchanges AS exchange
            ON step.previous_exchange_id = exchange.id
        WHERE exchange.dialogue_id = sequence.dialogue_id
    )

    SELECT
        step.exchange_id,
        step.position
    FROM step
) AS step;
