-- The messages of each exchange, in order: the run of a path from its first to its last message.
CREATE OR REPLACE VIEW derived.exchange_messages AS
SELECT
    exchange.id AS exchange_id,
    step.message_id,
    step.depth - first_step.depth AS position
FROM derived.exchanges AS exchange
INNER JOIN derived.message_paths AS first_step
    ON exchange.first_message_id = first_step.message_id
INNER JOIN derived.message_paths AS last_step
    ON exchange.last_message_id = last_step.message_id
INNER JOIN derived.message_paths AS step
    ON
        exchange.dialogue_id = step.dialogue_id
        AND step.tree_left BETWEEN first_step.tree_left AND last_step.tree_left
        AND last_step.tree_left <= step.tree_right;
