SELECT
    generation.chance_vector_count,
    generation.usual_chance,
    generation.high_chance,
    generation.highest_chance_of_few
FROM derived.embedding_generations AS generation
WHERE generation.generation_id = %(generation_id)s;
