-- Everything that belongs to the dialogue goes with it, by foreign keys. Its clusters of duplicates are made again
-- without it: until then nothing is said about the others in them.
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
)

DELETE FROM derived.build_state AS state
USING members
WHERE
    state.dialogue_id = members.dialogue_id
    AND state.asset = 'duplicate_clusters';
DELETE FROM raw.dialogues WHERE id = %(id)s;
DELETE FROM derived.build_state WHERE dialogue_id = %(id)s;
