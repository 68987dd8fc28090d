"""What a database's schema has that is not declared, or the other way round."""

from __future__ import annotations

from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import VERSION_TABLE, alembic_config
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.table_partitions import PARTITIONS
from archive_pipeline.store.tables import metadata


def downgrade(database: Database, revision: str) -> None:
    """Take a database back to an earlier revision; there its views are of older texts, and without descriptions."""
    with database.engine.begin() as connection:
        for name, comment in connection.execute(text(load_query("summary/derived_views"))).all():
            connection.execute(text(f"COMMENT ON VIEW derived.{name} IS '{comment.splitlines()[-1]}'"))
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def differences(database: Database) -> list[Any]:
    """Return them as Alembic has them."""

    def include(name, kind, parents):
        return name in {"raw", "derived", "annotations"} if kind == "schema" else name != VERSION_TABLE

    options = {"include_schemas": True, "include_name": include, "compare_type": True, "compare_server_default": True}
    with database.engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
    return [difference for difference in found if not _is_no_difference(difference)]


def _is_no_difference(difference: Any) -> bool:
    [(kind, *_, there, declared)] = difference if isinstance(difference, list) else [(*difference, None, None)[:1] * 3]
    if kind == "modify_default":  # that of a sequence is another object each time
        return str(there.arg) == str(declared.arg)
    # A foreign key to a partitioned table has one to each partition below it.
    return kind == "remove_fk" and difference[1].elements[0].target_fullname.startswith(f"{PARTITIONS}.")
