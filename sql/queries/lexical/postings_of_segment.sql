-- What a segment says of its chunks, term by term.
SELECT
    posting.term,
    posting.chunk_count,
    posting.ordinals,
    posting.weights
FROM derived.search_postings AS posting
WHERE posting.first_number = %(first_number)s
ORDER BY posting.term;
