-- Dialogues per class of their root-to-leaf paths, and whether answers were regenerated or prompts edited in them;
-- none that is a copy of another one.
SELECT
    CASE
        WHEN tree.has_regenerations AND tree.has_edits THEN 'both'
        WHEN tree.has_regenerations THEN 'answers regenerated'
        WHEN tree.has_edits THEN 'prompts edited'
        ELSE 'neither'
    END AS series,
    width_bucket(tree.leaf_count, %(bounds)s::integer []) AS label,
    count(*) AS value
FROM derived.dialogue_trees AS tree
WHERE
    NOT EXISTS (
        SELECT
        FROM raw.dialogue_links AS link
        WHERE link.dialogue_id = tree.dialogue_id AND link.kind = 'copy'
    )
GROUP BY tree.has_regenerations, tree.has_edits, width_bucket(tree.leaf_count, %(bounds)s::integer [])
ORDER BY series, label;
