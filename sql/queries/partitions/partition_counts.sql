-- How many partitions each of some tables has.
SELECT
    named.name,
    count(part.inhrelid)::integer AS partitions
FROM unnest(%(names)s::text []) AS named (name)
LEFT JOIN pg_inherits AS part
    ON to_regclass(named.name) = part.inhparent
GROUP BY named.name;
