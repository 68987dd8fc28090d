-- About how many chunks there are: counted only while the table has no statistics, when it is young.
SELECT
    CASE
        WHEN relation.reltuples >= 0 THEN relation.reltuples::bigint
        ELSE (SELECT count(*) FROM derived.qa_chunks)
    END AS chunks
FROM pg_class AS relation
WHERE relation.oid = 'derived.qa_chunks'::regclass;
