"""Filters of search: what each of them is to people, programs and the database follows from one declaration."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click
import psycopg
import pytest

from archive_pipeline.cli.commands import llm_archive
from archive_pipeline.domain.conditions import Condition, Operator, like_part
from archive_pipeline.errors import InvalidQueryError
from archive_pipeline.retrieval.search.filters import FILTERS, SearchFilters, parse_moment
from archive_pipeline.retrieval.search.modes import MODES
from archive_pipeline.store.conditions import query_where
from archive_pipeline.store.database import Database

COMMANDS = [llm_archive.load(name) for name in ("search", "context")]
MOMENT = datetime(2024, 5, 31, 12, tzinfo=UTC)
# A value of each filter, and what its column is compared with.
VALUES: dict[str, tuple[Any, Any]] = {
    "source": ("chatgpt", "chatgpt"),
    "role": ("tool", "tool"),
    "model": ("gpt-4o", "gpt-4o"),
    "since": (MOMENT, MOMENT),
    "until": (MOMENT.replace(tzinfo=None), MOMENT),
    "title": (r"100%_\x", r"%100\%\_\\x%"),
    "branch": ("abandoned", False),
    "pair_type": ("trace_pair", "trace_pair"),
    "workspace": ("g-p-1", "g-p-1"),
    "session": ("c1", "c1"),
}


def option(command: click.Command, name: str) -> click.Option:
    [found] = [each for each in command.params if each.name == name]
    assert isinstance(found, click.Option)
    return found


def test_each_filter_is_tried_here():
    assert list(VALUES) == list(FILTERS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_is_an_option_with_its_help_and_choices(command: click.Command, name: str):
    offered = option(command, name)
    assert offered.opts == [FILTERS[name].option]
    assert offered.help == FILTERS[name].declared.help
    choices = offered.type.choices if isinstance(offered.type, click.Choice) else ()
    assert tuple(choices) == FILTERS[name].choices


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_modes_are_those_declared(command: click.Command):
    kind = option(command, "mode").type
    assert isinstance(kind, click.Choice)
    assert list(kind.choices) == list(MODES)


@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_is_a_keyword_and_a_condition(name: str):
    value, compared = VALUES[name]
    filters = SearchFilters(**{name: value})
    assert filters.values() == {name: value}
    assert filters.parameters() == {name: compared}
    declared = FILTERS[name].declared
    assert filters.conditions() == {name: Condition(declared.column, declared.operator)}


@pytest.mark.postgres
@pytest.mark.parametrize("query", ["search_allowed", "search_chunks", "search_allowed_documents"])
def test_every_query_knows_the_column_of_every_filter(database: Database, query: str):
    filters = SearchFilters(**{name: value for name, (value, _) in VALUES.items()})
    others = {"most": 1, "chunk_ids": []}
    with database.session() as connection:
        statement = query_where(f"search/{query}", filters.conditions())
        assert connection.execute(statement, {**filters.parameters(), **others}).fetchall() == []


@pytest.mark.postgres
def test_conditions_all_hold_and_none_are_always_true(database: Database):
    def found(conditions: dict[str, Condition], **parameters: Any) -> list[int]:
        with database.session() as connection:
            return matching(connection, conditions, parameters)

    def matching(connection: psycopg.Connection[Any], conditions: dict[str, Condition], given: Any) -> list[int]:
        connection.execute("CREATE TEMPORARY TABLE searched (n int, name text) ON COMMIT DROP")
        connection.execute("INSERT INTO searched VALUES (1, 'A_b'), (2, 'AXb'), (3, NULL)")
        where = query_where("search/search_allowed_documents", conditions).as_string().rpartition("WHERE")[2]
        rows = connection.execute(f"SELECT n FROM searched WHERE {where}", given)  # noqa: S608
        return [row[0] for row in rows]

    assert found({}) == [1, 2, 3]
    assert found({"part": Condition("name", Operator.LIKE)}, part=like_part("a_")) == [1]
    both = {"low": Condition("n", Operator.AT_LEAST), "high": Condition("n", Operator.BELOW)}
    assert found(both, low=2, high=3) == [2]
    assert found({"name": Condition("name", Operator.EQUALS)}, name="' OR TRUE --") == []


def test_no_filter_is_no_condition():
    assert SearchFilters().is_empty
    assert SearchFilters().conditions() == {}
    assert not SearchFilters(title="").is_empty


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("role", "narrator", "the filter role is one of user, assistant, tool, not 'narrator'"),
        ("branch", True, "the filter branch is one of primary, abandoned, not True"),
        ("since", "2024-05-31", "the filter since is a datetime, not '2024-05-31'"),
        ("source", 3, "the filter source is a str, not 3"),
        ("source", "caf\ud800", "the filter source has a lone surrogate or NUL"),
        ("model", "\0", "the filter model has a lone surrogate or NUL"),
        ("title", "x" * 1_001, "the filter title has 1,001 characters; at most 1,000"),
    ],
)
def test_a_value_that_a_filter_cannot_have_is_refused(name: str, value: Any, message: str):
    with pytest.raises(InvalidQueryError, match=message):
        SearchFilters(**{name: value})


def test_a_time_without_a_zone_is_utc_wherever_it_comes_from():
    assert parse_moment("2024-05-31T12:00") == parse_moment(" 2024-05-31 14:00+02:00 ") == MOMENT
    assert parse_moment("2024-05-31") == datetime(2024, 5, 31, tzinfo=UTC)
    for text in ("yesterday", "2024", "", "2024-13-01"):
        with pytest.raises(ValueError, match=f"'{text}' is no date or time such as 2024-05-31"):
            parse_moment(text)
