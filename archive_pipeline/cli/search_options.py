"""What ``search``, ``context`` and ``ask`` have in common: filters, modes and budgets as options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from archive_pipeline.cli.arguments import TEXT
from archive_pipeline.retrieval.search.filters import FILTERS, DeclaredFilter, SearchFilters, parse_moment
from archive_pipeline.retrieval.search.modes import DEFAULT_MODE, MODE_HELP, MODES, TIME_WORDS_HELP

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class Parsed(click.types.StringParamType):
    """A value that a filter reads from a text."""

    def __init__(self, parse: Callable[[str], Any]) -> None:
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value; a text that is none is an error of the command line."""
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


MOMENT: Final = Parsed(parse_moment)


def mode_option(command: CommandT) -> CommandT:
    """Add the option ``--mode``."""
    return click.option(
        "--mode", type=click.Choice(list(MODES)), default=DEFAULT_MODE, show_default=True, help=MODE_HELP
    )(command)


def budget_options(command: CommandT) -> CommandT:
    """Add the options ``--max-tokens`` and ``--max-sources`` of a context."""
    for name, numbers, default, help_ in (
        ("--max-sources", click.IntRange(1, 1_000), 10, "Most sources."),
        ("--max-tokens", click.IntRange(min=1), 10_000, "Most tokens of the context, headers included."),
    ):
        command = click.option(name, type=numbers, default=default, show_default=True, metavar="N", help=help_)(command)
    return command


def time_words_option(command: CommandT) -> CommandT:
    """Add the option ``--time-words``."""
    return click.option("--time-words/--no-time-words", default=True, show_default=True, help=TIME_WORDS_HELP)(command)


def filter_options(command: CommandT) -> CommandT:
    """Add an option for each filter; ``SearchFilters`` takes their values."""
    for each in reversed(list(FILTERS.values())):
        metavar = None if each.choices else each.declared.metavar
        command = click.option(each.option, type=_type(each), metavar=metavar, help=each.declared.help)(command)
    return command


def filters_of(values: dict[str, Any]) -> SearchFilters:
    """Return the filters that options set."""
    return SearchFilters(**values)


def _type(each: DeclaredFilter) -> click.ParamType[Any]:
    if each.choices:
        return click.Choice(list(each.choices))
    return TEXT if each.declared.parse is None else Parsed(each.declared.parse)
