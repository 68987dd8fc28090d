UPDATE derived.embedding_generations
SET
    chance_vector_count = NULL,
    usual_chance = NULL,
    high_chance = NULL,
    highest_chance_of_few = NULL
WHERE generation_id = %(generation_id)s;
