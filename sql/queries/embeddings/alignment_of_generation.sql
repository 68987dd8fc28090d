SELECT
    alignment.alignment_id AS id,
    alignment.query_model,
    alignment.vector_count,
    alignment.matrix
FROM derived.query_alignments AS alignment
WHERE alignment.generation_id = %(generation_id)s;
