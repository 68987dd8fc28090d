PRAGMA table_xinfo ({table});
