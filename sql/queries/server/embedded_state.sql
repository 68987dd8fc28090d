-- Whether the archive's role is there, without the rights of a superuser and with the one that fast loads need, and who
-- owns the archive's database; and which databases that a new server has besides are there.
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
        WHERE datname = 'postgres' OR (datname = 'template0' AND NOT datallowconn)
    ) AS others;
