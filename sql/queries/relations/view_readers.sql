-- The views of the project's schema of derived tables that read a table, directly or through other views.
WITH RECURSIVE reader AS (
    SELECT %(table)s::regclass::oid AS relation_id
    UNION
    SELECT definition.ev_class AS relation_id
    FROM reader
    INNER JOIN pg_depend AS reads
        ON
            reader.relation_id = reads.refobjid
            AND reads.refclassid = 'pg_class'::regclass
            AND reads.classid = 'pg_rewrite'::regclass
    INNER JOIN pg_rewrite AS definition ON reads.objid = definition.oid
)

SELECT relation.relname::text AS name
FROM pg_class AS relation
INNER JOIN reader ON relation.oid = reader.relation_id
WHERE
    relation.relkind = 'v'
    AND relation.relnamespace = 'derived'::regnamespace;
