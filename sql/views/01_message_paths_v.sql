-- message_paths with the ids of all ancestors, root first; {} for a root. The way up goes from run to run; along a run
-- tree_left counts on.
CREATE OR REPLACE VIEW derived.message_paths_v AS
SELECT
    mp.*,
    way.ancestor_path
FROM derived.message_paths AS mp
CROSS JOIN LATERAL (
    WITH RECURSIVE piece (from_left, to_left, parent_left) AS (
        SELECT
            mp.run_left,
            mp.tree_left - 1,
            mp.run_parent_left
        UNION ALL
        SELECT
            above.run_left,
            above.tree_left,
            above.run_parent_left
        FROM piece
        INNER JOIN derived.message_paths AS above
            ON
                above.dialogue_id = mp.dialogue_id
                AND above.tree_left = piece.parent_left
    )

    SELECT coalesce(array_agg(ancestor.message_id ORDER BY ancestor.tree_left), '{}') AS ancestor_path
    FROM piece
    INNER JOIN derived.message_paths AS ancestor
        ON
            ancestor.dialogue_id = mp.dialogue_id
            AND ancestor.tree_left BETWEEN piece.from_left AND piece.to_left
) AS way;
