-- Gives up waiting for a lock soon, until the transaction ends.
SET LOCAL lock_timeout = '1s';
