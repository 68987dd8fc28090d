-- Ends statements that take longer, until the transaction ends. The limit that the server has already stays where it is
-- lower; 0 is none.
SELECT set_config('statement_timeout', least(nullif(setting::bigint, 0), %(milliseconds)s::bigint)::text, TRUE)
FROM pg_settings
WHERE name = 'statement_timeout';
