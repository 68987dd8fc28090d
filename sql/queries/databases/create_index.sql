CREATE INDEX {name} ON {table} ({column});
