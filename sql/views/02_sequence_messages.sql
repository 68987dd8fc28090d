-- The messages of each root-to-leaf sequence, in order. A view, because a table would grow with leaves times depth.
CREATE OR REPLACE VIEW derived.sequence_messages AS
SELECT
    sequence.id AS sequence_id,
    step.message_id,
    step.depth AS position
FROM derived.linear_sequences AS sequence
INNER JOIN derived.message_paths AS leaf
    ON sequence.leaf_message_id = leaf.message_id
INNER JOIN derived.message_paths AS step
    ON
        leaf.dialogue_id = step.dialogue_id
        AND leaf.tree_left >= step.tree_left
        AND leaf.tree_left <= step.tree_right;
