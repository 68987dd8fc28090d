-- Everything that belongs to the dialogues goes with them, by foreign keys. The clusters of duplicates that they were
-- part of go too, and the other dialogues in them count as changed until duplicates are looked for again. Links that
-- name them as originals go when those of the dialogues that shared with them are found anew.
WITH broken AS (
    SELECT DISTINCT own.cluster_id
    FROM derived.duplicate_clusters AS own
    WHERE own.dialogue_id = ANY(%(ids)s::uuid [])
),

members AS (
    DELETE FROM derived.duplicate_clusters AS member
    USING broken
    WHERE member.cluster_id = broken.cluster_id
    RETURNING member.dialogue_id
),

forgotten AS (
    DELETE FROM derived.build_state AS state
    USING members
    WHERE
        state.dialogue_id = members.dialogue_id
        AND state.asset = 'duplicate_clusters'
)

DELETE FROM raw.dialogues AS dialogue WHERE dialogue.id = ANY(%(ids)s::uuid []);
