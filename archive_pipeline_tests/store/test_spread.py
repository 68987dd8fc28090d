"""Every table can be spread: partitions and machines check each key alone."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import Column, ForeignKeyConstraint, Index, Table, Uuid

from archive_pipeline.store.database import Database
from archive_pipeline.store.tables import metadata
from archive_pipeline.store.tables.base import DIALOGUE, dialogue_column, message_key, uuid_column
from archive_pipeline.store.tables.spread import citus_statements, spread_column, tables_of_dialogues, unspreadable
from archive_pipeline_tests.tables import query


def test_every_key_of_every_table_can_be_checked_in_one_place():
    assert [line for table in metadata.sorted_tables for line in unspreadable(table)] == []


def test_every_table_that_says_a_dialogue_is_a_table_of_dialogues():
    of_dialogues = set(tables_of_dialogues())
    assert {table for table in metadata.sorted_tables if DIALOGUE in table.columns} == of_dialogues - {
        metadata.tables["raw.dialogues"]
    }
    assert {spread_column(table) for table in of_dialogues} == {DIALOGUE, "id"}


def added(*parts: Column[str] | Index | ForeignKeyConstraint) -> list[str]:
    """Declare a table among the others for a moment; return what is wrong with it."""
    table = Table("strange", metadata, *parts, schema="derived")
    try:
        return unspreadable(table)
    finally:
        metadata.remove(table)


def test_keys_without_the_dialogue_are_found():
    own = uuid_column("id", "Own id", primary_key=True)
    assert added(own, dialogue_column()) == ["derived.strange: the unique key id lacks dialogue_id"]
    keys = (uuid_column("id", "Own id", primary_key=True), dialogue_column(primary_key=True))
    assert added(*keys, Index("uq", "id", unique=True)) == ["derived.strange: the unique key id lacks dialogue_id"]
    keys = (uuid_column("message_id", "Message", primary_key=True), dialogue_column(primary_key=True))
    assert added(*keys, message_key()) == []
    other = Column("other_id", Uuid(as_uuid=False))
    keys = (uuid_column("id", "Own id", primary_key=True), dialogue_column(primary_key=True))
    to_other = ForeignKeyConstraint(["other_id"], ["raw.dialogues.id"])
    assert added(*keys, other, to_other) == ["derived.strange: the foreign key other_id leads to another place"]


def test_the_statements_for_citus_name_every_table_once_and_parents_first():
    named = [re.findall(r"create_(\w+)_table\('([\w.]+)'", line) for line in citus_statements()]
    order = [name for [(_, name)] in named]
    assert sorted(order) == sorted(metadata.tables)
    for table in metadata.sorted_tables:
        parents = {key.referred_table.fullname for key in table.foreign_key_constraints} - {table.fullname}
        assert all(order.index(parent) < order.index(table.fullname) for parent in parents)
    kinds = {name: kind for [(kind, name)] in named}
    assert kinds["raw.imports"] == "reference"
    assert kinds["raw.messages"] == "distributed"


@pytest.mark.postgres
def test_the_database_has_no_triggers_rules_or_functions_of_its_own(archive: Database):
    # Citus refuses triggers and rules on distributed tables.
    schemas = ["raw", "derived", "annotations"]
    triggers = "SELECT tgname FROM pg_trigger JOIN pg_class AS t ON t.oid = tgrelid WHERE NOT tgisinternal"
    assert query(archive, f"{triggers} AND t.relnamespace::regnamespace::text = ANY(%s)", schemas) == []
    assert query(archive, "SELECT tablename FROM pg_rules WHERE schemaname = ANY(%s)", schemas) == []
    functions = "SELECT proname FROM pg_proc WHERE pronamespace::regnamespace::text = ANY(%s)"
    assert query(archive, functions, schemas) == []


@pytest.mark.postgres
def test_the_database_has_no_unique_index_without_the_column(archive: Database):
    for table in tables_of_dialogues():
        found = query(
            archive,
            "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = %s::regclass AND indisunique AND NOT "
            "EXISTS (SELECT FROM pg_attribute WHERE attrelid = indrelid AND attname = %s AND attnum = ANY(indkey))",
            table.fullname,
            spread_column(table),
        )
        assert found == []
