-- The terms that are not ASCII, of the first that begin with each of some letters.
SELECT DISTINCT posting.term
FROM unnest(%(letters)s::text []) AS asked (letter)
CROSS JOIN
    LATERAL (
        SELECT begun.term
        FROM derived.search_postings AS begun
        WHERE begun.term >= asked.letter AND begun.term < asked.letter || chr(1114111)
        LIMIT %(most)s -- noqa: AM09
    ) AS posting
WHERE octet_length(posting.term) > char_length(posting.term);
