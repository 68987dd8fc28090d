-- Whether the archive's role is there, without the rights of a superuser and with the one that fast loads need, and who
-- owns the archive's database; and which databases that a new server has besides are there: those that nobody can
-- connect to, the spare template and what a server was killed over while it dropped it (a limit of -2); and those that
-- may hold something. One that somebody is connected to is left alone: to drop it is to wait for five seconds.
SELECT
    (
        SELECT count(*) > 0
        FROM pg_roles AS role
        CROSS JOIN pg_parameter_acl AS parameter
        CROSS JOIN aclexplode(parameter.paracl) AS granted
        WHERE
            role.rolname = 'archive'
            AND role.rolcanlogin
            AND NOT role.rolsuper
            AND parameter.parname = 'session_replication_role'
            AND granted.grantee = role.oid
            AND granted.privilege_type = 'SET'
    ) AS has_role,
    (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'archive') AS database_owner,
    ARRAY(
        SELECT datname::text FROM pg_database
        WHERE (datname = 'template0' AND NOT datallowconn) OR (datname = 'postgres' AND datconnlimit = -2)
    ) AS unusable_databases,
    ARRAY(
        SELECT datname::text FROM pg_database
        WHERE
            datname = 'postgres'
            AND datallowconn
            AND datconnlimit <> -2
            AND NOT EXISTS (
                SELECT FROM pg_stat_activity AS activity
                WHERE activity.datid = pg_database.oid AND activity.backend_type = 'client backend'
            )
    ) AS other_databases;
