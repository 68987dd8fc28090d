PRAGMA trusted_schema = OFF;
