"""``llm-archive db``: the database itself."""

from __future__ import annotations

import click

from archive_pipeline.cli.archive import open_archive, open_for_writing
from archive_pipeline.cli.output import note, print_json
from archive_pipeline.domain.counted import counted
from archive_pipeline.settings import Settings
from archive_pipeline.store import locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.database_url import url_without_secrets
from archive_pipeline.store.server.embedded import keep_marker
from archive_pipeline.store.table_partitions import partition_tables


def print_url(*, without_password: bool, as_json: bool) -> None:
    """Open the archive and print its URL, with or without its secrets; keep an embedded server running."""
    with open_archive() as archive:
        if archive.settings.database_url is None:
            keep_marker(archive.settings.postgres_folder).touch()
    url = url_without_secrets(archive.database.url) if without_password else archive.database.url
    if as_json:
        print_json({"url": url})
    else:
        click.echo(url)


def partition(count: int, *, as_json: bool) -> None:
    """Give every table of rows of dialogues so many partitions, and print which tables were copied."""
    copied: dict[str, int] = {}
    with open_for_writing() as archive, locks.held(archive.database, locks.INDEXER, note):
        for name, rows in partition_tables(archive.database, count):
            copied[name] = rows
            if not as_json:
                click.echo(f"{name}: {counted(rows, 'row')}")
    if as_json:
        print_json({"partitions": count, "tables": copied})
    else:
        click.echo(f"{counted(len(copied), 'table')} copied; each table of dialogues {_told(count)}")


def _told(count: int) -> str:
    return f"has {count} partitions" if count else "is whole"


def stop_server() -> None:
    """Let the embedded server stop after its last user."""
    settings = Settings.from_environment()
    if settings.database_url is not None:
        click.echo("the database is a server of your own; it is left alone")
        return
    marker = keep_marker(settings.postgres_folder)
    if marker.exists():
        marker.unlink()
        Database.open(settings)  # the last user that leaves stops the server; this process may be the last
    click.echo("the embedded server stops when the last process that uses it ends")
