-- What tells a database from others by whichever address it is reached, and no dump takes along.
SELECT control.system_identifier || '-' || database.oid
FROM pg_database AS database
CROSS JOIN pg_control_system() AS control
WHERE database.datname = current_database();
