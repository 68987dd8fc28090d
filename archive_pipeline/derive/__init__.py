"""Derived tables as pure functions over batches of dialogues: no database, no Dagster.

``forest`` has the tree structure, which is computed once per batch, and one module per derived asset turns a batch
(``domain.batch``) into frames. ``registry`` finds these modules and knows the versions of their assets.
"""
