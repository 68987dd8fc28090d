-- About how many chunks there are, without counting them.
SELECT greatest(relation.reltuples, 0)::bigint AS chunks
FROM pg_class AS relation
WHERE relation.oid = 'derived.qa_chunks'::regclass;
