-- The exchanges of each sequence, in order. An exchange whose last message is on the path belongs to the sequence if
-- the path ends there, or if it goes on with the first message of another exchange (decision: exchanges are computed
-- along each path and shared).
CREATE OR REPLACE VIEW derived.sequence_exchanges AS
SELECT
    sequence.id AS sequence_id,
    exchange.id AS exchange_id,
    row_number() OVER (PARTITION BY sequence.id ORDER BY last_step.tree_left) - 1 AS position
FROM derived.linear_sequences AS sequence
INNER JOIN derived.message_paths AS leaf
    ON sequence.leaf_message_id = leaf.message_id
INNER JOIN derived.exchanges AS exchange
    ON sequence.dialogue_id = exchange.dialogue_id
INNER JOIN derived.message_paths AS last_step
    ON
        exchange.last_message_id = last_step.message_id
        AND leaf.tree_left BETWEEN last_step.tree_left AND last_step.tree_right
WHERE
    exchange.last_message_id = sequence.leaf_message_id
    OR EXISTS (
        SELECT 1
        FROM derived.exchanges AS following
        INNER JOIN derived.message_paths AS next_step
            ON following.first_message_id = next_step.message_id
        WHERE
            following.dialogue_id = exchange.dialogue_id
            AND next_step.depth = last_step.depth + 1
            AND leaf.tree_left BETWEEN next_step.tree_left AND next_step.tree_right
    );
