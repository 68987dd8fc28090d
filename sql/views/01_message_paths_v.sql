-- message_paths with the ids of all ancestors, root first; {} for a root.
CREATE OR REPLACE VIEW derived.message_paths_v AS
SELECT
    mp.*,
    ARRAY(
        SELECT ancestor.message_id
        FROM derived.message_paths AS ancestor
        WHERE
            ancestor.dialogue_id = mp.dialogue_id
            AND ancestor.tree_left < mp.tree_left
            AND ancestor.tree_right >= mp.tree_left
        ORDER BY ancestor.tree_left
    ) AS ancestor_path
FROM derived.message_paths AS mp;
