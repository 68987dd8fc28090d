INSERT INTO derived.query_alignments (generation_id, query_model, vector_count, matrix)
VALUES (%(generation_id)s, %(query_model)s, %(vector_count)s, %(matrix)s);
