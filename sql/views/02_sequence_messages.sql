-- The messages of each root-to-leaf sequence, in order. A view, because a table would grow with leaves times depth.
CREATE OR REPLACE VIEW derived.sequence_messages AS
SELECT
    sequence.id AS sequence_id,
    step.message_id,
    step.depth AS position
FROM derived.linear_sequences AS sequence
INNER JOIN derived.message_paths AS leaf
    ON
        sequence.leaf_message_id = leaf.message_id
        AND sequence.dialogue_id = leaf.dialogue_id
CROSS JOIN LATERAL (
    WITH RECURSIVE piece (from_left, to_left, parent_left) AS (
        SELECT
            leaf.run_left,
            leaf.tree_left,
            leaf.run_parent_left
        UNION ALL
        SELECT
            above.run_left,
            above.tree_left,
            above.run_parent_left
        FROM piece
        INNER JOIN derived.message_paths AS above
            ON
                above.dialogue_id = leaf.dialogue_id
                AND above.tree_left = piece.parent_left
    )

    SELECT
        message_path.message_id,
        message_path.depth
    FROM piece
    INNER JOIN derived.message_paths AS message_path
        ON
            message_path.dialogue_id = leaf.dialogue_id
            AND message_path.tree_left BETWEEN piece.from_left AND piece.to_left
) AS step;
