-- Whether queries of this transaction leave out rows that policies hide ('on'), or fail for that ('off').
SELECT set_config('row_security', %(value)s, TRUE);
