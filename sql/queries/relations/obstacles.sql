-- What somebody has set on a table, its partitions or a view that would be lost if it was made anew, in words.
WITH made_anew AS (
    SELECT
        relation.oid,
        relation.relkind,
        relation.reloptions,
        relation.relreplident,
        relation.reltablespace
    FROM pg_class AS relation
    WHERE
        relation.oid = %(table)s::regclass
        OR relation.oid IN (
            SELECT part.inhrelid FROM pg_inherits AS part
            WHERE part.inhparent = %(table)s::regclass -- noqa: RF02
        )
)

SELECT format('trigger %%I on %%s', own_trigger.tgname, made_anew.oid::regclass) AS obstacle
FROM made_anew
INNER JOIN pg_trigger AS own_trigger ON made_anew.oid = own_trigger.tgrelid
WHERE
    NOT own_trigger.tgisinternal
    AND own_trigger.tgparentid = 0
UNION ALL
SELECT format('rule %%I on %%s', own_rule.rulename, made_anew.oid::regclass) AS obstacle
FROM made_anew
INNER JOIN pg_rewrite AS own_rule ON made_anew.oid = own_rule.ev_class
WHERE own_rule.rulename <> '_RETURN'
UNION ALL
SELECT format('publication %%I of %%s', publication.pubname, made_anew.oid::regclass) AS obstacle
FROM made_anew
INNER JOIN pg_publication_rel AS published ON made_anew.oid = published.prrelid
INNER JOIN pg_publication AS publication ON published.prpubid = publication.oid
UNION ALL
SELECT format('exclusion constraint %%I on %%s', own_key.conname, made_anew.oid::regclass) AS obstacle
FROM made_anew
INNER JOIN pg_constraint AS own_key ON made_anew.oid = own_key.conrelid
WHERE
    own_key.contype = 'x'
    AND own_key.conparentid = 0
UNION ALL
SELECT
    format('storage parameters %%s of %%s', array_to_string(made_anew.reloptions, ', '), made_anew.oid::regclass)
        AS obstacle
FROM made_anew
WHERE
    made_anew.reloptions IS NOT NULL
    AND made_anew.relkind <> 'v'
UNION ALL
SELECT format('replica identity of %%s', made_anew.oid::regclass) AS obstacle
FROM made_anew
WHERE made_anew.relreplident NOT IN ('d', 'n')
UNION ALL
SELECT format('tablespace of %%s', made_anew.oid::regclass) AS obstacle
FROM made_anew
WHERE made_anew.reltablespace <> 0
UNION ALL
SELECT format('security label of %%s', made_anew.oid::regclass) AS obstacle
FROM made_anew
INNER JOIN pg_seclabel AS label
    ON
        made_anew.oid = label.objoid
        AND label.classoid = 'pg_class'::regclass
ORDER BY obstacle;
