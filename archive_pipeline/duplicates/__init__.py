"""Duplicates: which messages and exchanges of the whole archive say the same, or nearly.

Pure functions over batches of dialogues: no database, no Dagster. ``building.duplicates`` reads the batches and writes
the table ``derived.duplicate_clusters``.
"""
