"""The SQL boundary: server, engine, tables, migrations, bulk reads and writes. Nothing above it writes SQL strings."""
