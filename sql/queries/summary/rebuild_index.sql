-- Builds an index anew, without the room that insertions in no order have left in it. PostgreSQL writes it to another
-- file and exchanges them at the end of the transaction.
REINDEX INDEX {index};
