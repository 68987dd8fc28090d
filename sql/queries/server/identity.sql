-- Which database of which server answers.
SELECT
    current_database() AS name,
    control.system_identifier
FROM pg_control_system() AS control;
