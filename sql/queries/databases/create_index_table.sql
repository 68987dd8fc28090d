CREATE TABLE {table} (row_id integer PRIMARY KEY, {key_columns});
