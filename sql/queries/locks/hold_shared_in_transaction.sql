-- Waits for an advisory lock until nobody holds it alone, and holds it with others until the end of the transaction.
SELECT pg_advisory_xact_lock_shared(%(key)s::bigint);
