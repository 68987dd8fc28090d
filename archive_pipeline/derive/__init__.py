"""Derived tables as pure functions over batches of dialogues: no database, no Dagster.

``batch`` holds the input, ``forest`` the tree structure computed once per batch, and one module per derived asset
turns them into frames. ``registry`` lists the assets with their dependencies and versions.
"""
