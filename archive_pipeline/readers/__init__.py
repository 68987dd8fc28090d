"""Readers: one module per source format, bytes to a stream of dialogues; no database, no Dagster."""
