"""A report on the archive: counts from the database, charts of them, and a page that holds the charts.

The page is one file that needs no network. Dagster's summary shows the same charts.
"""
