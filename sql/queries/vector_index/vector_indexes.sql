-- The indexes of a vector store with their models, the active one first.
SELECT
    index.index_id::text AS index_id,
    index.is_active,
    index.changed_at,
    generation.generation_id,
    generation.model,
    generation.dimensions,
    generation.chance_vector_count,
    generation.usual_chance,
    generation.high_chance,
    generation.highest_chance_of_few,
    alignment.alignment_id
FROM derived.vector_indexes AS index
INNER JOIN derived.embedding_generations AS generation
    ON index.generation_id = generation.generation_id
LEFT JOIN derived.query_alignments AS alignment
    ON generation.generation_id = alignment.generation_id
WHERE
    index.location = %(location)s
    -- The home may have been moved since its folder was recorded.
    OR (index.index_id::text = ANY(%(moved)s::text []) AND strpos(index.location, '://') = 0)
ORDER BY
    index.is_active DESC,
    index.index_id::text = ANY(%(moved)s::text []) DESC,
    index.created_at DESC,
    index.index_id ASC;
