-- Holds an advisory lock alone until the end of the transaction, if nobody else has it; tells whether it is held.
SELECT pg_try_advisory_xact_lock(%(key)s::bigint) AS is_held;
