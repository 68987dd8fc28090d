INSERT INTO {table} VALUES ({values});
