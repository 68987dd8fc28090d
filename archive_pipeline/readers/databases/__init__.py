"""Databases of SQLite as inputs: what is in one becomes a JSON array with an object for each conversation.

A database is untrusted and may be damaged or in use. It is never opened where it is: ``snapshot`` copies it with what
was committed last. On the copy nothing runs but the reading of rows of plain tables by their number (``tables``); which
rows belong to a conversation is found in an index of our own (``row_index``) by queries that the reader of a product
declares (``readers.declaration.DatabaseReader``). ``objects`` writes the array, ``reading`` decides what a file is,
``stored_files`` gives the files that a database holds.
"""
