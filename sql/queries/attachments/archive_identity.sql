-- The database, as its server tells it from all others: a copy of it elsewhere is another one.
SELECT cluster.system_identifier::text || '-' || database.oid::text
FROM pg_control_system() AS cluster
CROSS JOIN pg_database AS database
WHERE database.datname = current_database();
