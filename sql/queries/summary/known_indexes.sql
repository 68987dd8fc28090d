-- Which of some indexes of raw and derived tables there are.
SELECT tree.relname::text AS index_name
FROM pg_class AS tree
WHERE
    tree.relnamespace IN ('raw'::regnamespace, 'derived'::regnamespace)
    AND tree.relkind IN ('i', 'I')
    AND tree.relname = ANY(%(names)s::text []);
