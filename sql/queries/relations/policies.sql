-- The policies of row-level security of a table, and those of other tables that read it, with the statements that make
-- them.
SELECT
    policy.polrelid::regclass::text AS table_name,
    policy.polname::text AS name,
    concat(
        format(
            'CREATE POLICY %%I ON %%s AS %%s FOR %%s TO %%s',
            policy.polname,
            policy.polrelid::regclass,
            CASE WHEN policy.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
            CASE policy.polcmd
                WHEN 'r' THEN 'SELECT'
                WHEN 'a' THEN 'INSERT'
                WHEN 'w' THEN 'UPDATE'
                WHEN 'd' THEN 'DELETE'
                ELSE 'ALL'
            END,
            (
                SELECT string_agg(CASE WHEN role.id = 0 THEN 'PUBLIC' ELSE role.id::regrole::text END, ', ')
                FROM unnest(policy.polroles) AS role (id)
            )
        ),
        ' USING (' || pg_get_expr(policy.polqual, policy.polrelid) || ')',
        ' WITH CHECK (' || pg_get_expr(policy.polwithcheck, policy.polrelid) || ')',
        format(
            '; COMMENT ON POLICY %%I ON %%s IS ', policy.polname, policy.polrelid::regclass
        ) || quote_literal(obj_description(policy.oid, 'pg_policy'))
    ) AS statement
FROM pg_policy AS policy
WHERE
    policy.polrelid = %(table)s::regclass
    OR EXISTS (
        SELECT FROM pg_depend AS needed
        WHERE
            needed.classid = 'pg_policy'::regclass
            AND needed.objid = policy.oid
            AND needed.refclassid = 'pg_class'::regclass
            AND needed.refobjid = %(table)s::regclass -- noqa: RF02
    )
ORDER BY
    table_name ASC,
    name ASC;
