"""Duplicates: which messages and exchanges of the whole archive say the same, or nearly.

Pure functions over batches of dialogues, in files that know neither the database nor Dagster; ``refresh`` alone reads
batches from the archive and writes the table ``derived.duplicate_clusters``.
"""
