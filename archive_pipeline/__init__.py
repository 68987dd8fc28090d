"""Turns archives of LLM conversations into PostgreSQL tables one can use.

The code goes one way: ``readers`` turn export files into plain records, ``importing`` writes records to the ``raw``
tables, ``derive`` computes derived rows from batches of dialogues (no database, no Dagster), ``store`` is the SQL
boundary, ``orchestration`` is the thin Dagster layer over both, and ``cli`` is what a person types.
"""
