-- Gives some consecutive numbers of chunks, never again to anybody; returns the last one.
SELECT setval('derived.chunk_numbers', nextval('derived.chunk_numbers') + %(count)s - 1) AS last_number;
