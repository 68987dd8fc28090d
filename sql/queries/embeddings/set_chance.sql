UPDATE derived.embedding_generations
SET
    chance_vector_count = %(vector_count)s,
    usual_chance = %(usual)s,
    high_chance = %(high)s,
    highest_chance_of_few = %(highest_of_few)s
WHERE generation_id = %(generation_id)s;
