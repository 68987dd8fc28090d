-- Gives up waiting for a lock soon, until the transaction ends: others wait behind it. PostgreSQL looks for deadlocks
-- after a second only, so nobody else is ended by one.
SET LOCAL lock_timeout = '200ms';
