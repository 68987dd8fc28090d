-- The archive's role and database, created with the server. The role owns the database and is no superuser.
\set ON_ERROR_STOP on
\set password `cat "${ARCHIVE_PASSWORD_FILE:-/run/secrets/archive_password}"`
CREATE ROLE archive LOGIN PASSWORD :'password';
CREATE DATABASE archive OWNER archive ENCODING 'UTF8' TEMPLATE template0;
-- Loading is faster where foreign keys are not looked up row by row.
GRANT SET ON PARAMETER session_replication_role TO archive;
\connect archive
CREATE EXTENSION IF NOT EXISTS vector;
