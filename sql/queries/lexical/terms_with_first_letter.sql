-- The terms that begin with a letter, and in how many chunks they are; none if the letter begins too many postings.
WITH
posting AS (
    SELECT
        found.term,
        found.chunk_count
    FROM derived.search_postings AS found
    WHERE found.term >= %(letter)s AND found.term < %(letter)s || chr(1114111)
    LIMIT %(most)s -- noqa: AM09
),

counted AS (
    SELECT
        posting.term,
        sum(posting.chunk_count)::bigint AS frequency,
        sum(count(*)) OVER () AS posting_count
    FROM posting
    GROUP BY posting.term
)

SELECT
    counted.term,
    counted.frequency
FROM counted
WHERE counted.posting_count < %(most)s;
