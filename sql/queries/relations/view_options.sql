-- The statement that sets the options of a view, such as security_invoker; no row if it has none.
SELECT
    format('ALTER VIEW %%s SET (%%s)', relation.oid::regclass, array_to_string(relation.reloptions, ', '))
        AS statement
FROM pg_class AS relation
WHERE
    relation.oid = %(table)s::regclass
    AND relation.reloptions IS NOT NULL;
