-- The messages of each exchange, in order: the run of a path from its first to its last message.
CREATE OR REPLACE VIEW derived.exchange_messages AS
SELECT
    exchange.id AS exchange_id,
    step.message_id,
    step.depth - first_step.depth AS position
FROM derived.exchanges AS exchange
INNER JOIN derived.message_paths AS first_step
    ON
        exchange.first_message_id = first_step.message_id
        AND exchange.dialogue_id = first_step.dialogue_id
INNER JOIN derived.message_paths AS last_step
    ON
        exchange.last_message_id = last_step.message_id
        AND exchange.dialogue_id = last_step.dialogue_id
CROSS JOIN LATERAL (
    WITH RECURSIVE piece (from_left, to_left, parent_left) AS (
        SELECT
            greatest(last_step.run_left, first_step.tree_left),
            last_step.tree_left,
            last_step.run_parent_left
        UNION ALL
        SELECT
            greatest(above.run_left, first_step.tree_left),
            above.tree_left,
            above.run_parent_left
        FROM piece
        INNER JOIN derived.message_paths AS above
            ON
                above.dialogue_id = exchange.dialogue_id
                AND above.tree_left = piece.parent_left
        -- Above the first message the path belongs to earlier exchanges.
        WHERE piece.parent_left >= first_step.tree_left
    )

    SELECT
        message_path.message_id,
        message_path.depth
    FROM piece
    INNER JOIN derived.message_paths AS message_path
        ON
            message_path.dialogue_id = exchange.dialogue_id
            AND message_path.tree_left BETWEEN piece.from_left AND piece.to_left
) AS step;
