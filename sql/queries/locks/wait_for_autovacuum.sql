-- Waits for a lock long enough for the server to end an autovacuum that has it, which is after a second
-- (deadlock_timeout), until the transaction ends. For a transaction that holds no other lock.
SET LOCAL lock_timeout = '1500ms';
