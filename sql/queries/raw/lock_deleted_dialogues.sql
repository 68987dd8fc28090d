-- Waits for whoever works with the dialogues that are to be deleted, or with those that share duplicates or messages
-- with them and will change too; in the order in which everybody locks dialogues.
SELECT dialogue.id
FROM raw.dialogues AS dialogue
WHERE
    dialogue.id = ANY(%(ids)s::uuid [])
    OR dialogue.id = ANY(%(sharing)s::uuid [])
    OR dialogue.id IN (
        SELECT member.dialogue_id
        FROM derived.duplicate_clusters AS own
        INNER JOIN derived.duplicate_clusters AS member ON own.cluster_id = member.cluster_id
        WHERE own.dialogue_id = ANY(%(ids)s::uuid [])
    )
ORDER BY dialogue.id
FOR UPDATE OF dialogue;
