-- About how many chunks there are, without counting them.
SELECT sum(greatest(relation.reltuples, 0))::bigint AS chunks
FROM pg_class AS relation
WHERE relation.oid IN ('derived.qa_chunks'::regclass, 'derived.document_chunks'::regclass);
