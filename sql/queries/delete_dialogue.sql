-- Everything that belongs to the dialogue goes with it, by foreign keys. The clusters of duplicates that it was part of
-- go too, and the other dialogues in them count as changed until duplicates are looked for again.
WITH broken AS (
    SELECT DISTINCT own.cluster_id
    FROM derived.duplicate_clusters AS own
    WHERE own.dialogue_id = %(id)s
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

DELETE FROM raw.dialogues AS dialogue WHERE dialogue.id = %(id)s;
