-- One row per cluster of duplicates: how many copies, in how many dialogues, and which member to keep. The same texts
-- can be a cluster of several methods; that of the widest method has all that the others have.
CREATE VIEW derived.duplicate_clusters_v AS
SELECT
    kept.cluster_id,
    kept.entity_type,
    kept.method,
    kept.cluster_size,
    copies.content_copies,
    copies.prefix_copies,
    copies.dialogue_count,
    copies.lowest_similarity,
    kept.entity_id AS kept_entity_id,
    kept.dialogue_id AS kept_dialogue_id,
    kept.keep_reason,
    kept.text_length,
    NOT EXISTS (
        SELECT 1
        FROM derived.duplicate_clusters AS wider
        WHERE
            wider.entity_id = kept.entity_id
            AND array_position(
                ARRAY['exact:none', 'exact:lowercase', 'exact:whitespace', 'exact:full', 'near'], wider.method
            ) > array_position(
                ARRAY['exact:none', 'exact:lowercase', 'exact:whitespace', 'exact:full', 'near'], kept.method
            )
    ) AS is_widest
FROM derived.duplicate_clusters AS kept
INNER JOIN (
    SELECT
        member.cluster_id,
        count(*) FILTER (WHERE member.copy_kind = 'content') AS content_copies,
        count(*) FILTER (WHERE member.copy_kind = 'prefix') AS prefix_copies,
        count(DISTINCT member.dialogue_id) AS dialogue_count,
        min(member.similarity) AS lowest_similarity
    FROM derived.duplicate_clusters AS member
    GROUP BY member.cluster_id
) AS copies
    ON kept.cluster_id = copies.cluster_id
WHERE kept.is_kept;
