"""Dagster over an archive of many dialogues: a backfill by the daemon, the sensor's ticks, the UI's pages, sizes."""
