-- Tool calls with their results: the pairs among some that are trace pairs.
SELECT
    pair.pair_id,
    pair.question,
    pair.answer,
    pair.is_error
FROM derived.qa_pairs AS pair
WHERE pair.pair_id = ANY(%(pair_ids)s::text []) AND pair.pair_type = 'trace_pair';
