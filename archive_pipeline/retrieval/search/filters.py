"""The filters of search, each declared once.

The options of the command line, the parameters of the tools for assistants, the keyword arguments of Python, the
conditions of the queries and ``docs/filters.md`` follow from the fields of ``SearchFilters``. Light: the command line
imports it for help.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from archive_pipeline.domain.conditions import Condition, Operator, like_part
from archive_pipeline.errors import InvalidQueryError
from archive_pipeline.text.user_input import check_text

LONGEST_FILTER: Final = 1_000


def parse_moment(text: str) -> datetime:
    """Read a date or time of ISO 8601, as users write it everywhere; without a zone it is UTC.

    Raises:
        ValueError: it is none.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ValueError(f"{text!r} is no date or time such as 2024-05-31 or 2024-05-31T18:30+02:00") from error
    return _utc(moment)


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """How a field of ``SearchFilters`` is offered and what it demands.

    Attributes:
        help: a sentence for people and assistants.
        column: that is compared: of ``derived.searchable_chunks`` and of ``search_allowed_documents.sql``. NULL, which
            documents have where something belongs to dialogues only, is let through by no filter.
        operator: how it is compared.
        metavar: stands for the value in the help of the command line.
        parse: reads the value from a text; None if the value is a text. Raises ``ValueError``.
        encode: turns the value into what the column is compared with; None if that is the value.
        known: query of ``sql/queries/search`` for all values that there are, if they are few.
        unknown: begins the sentence that says a value is not one of ``known``.
    """

    help: str
    column: str
    operator: Operator = Operator.EQUALS
    metavar: str = "TEXT"
    parse: Callable[[str], Any] | None = None
    encode: Callable[[Any], Any] | None = None
    known: str | None = None
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Conditions that all hold for what is found; None is no condition. Times without a zone are UTC."""

    source: Annotated[
        str | None,
        Filter(
            help="Only from this source, such as chatgpt or claude_ai; files: document.",
            column="source",
            metavar="NAME",
            known="known_sources",
            unknown="nothing is from the source",
        ),
    ] = None
    role: Annotated[
        Literal["user", "assistant", "tool"] | None,
        Filter(help="Only what this role says; no documents.", column="role"),
    ] = None
    model: Annotated[
        str | None,
        Filter(
            help="Only what this model wrote, and questions that it answered; named as in results; no documents.",
            column="model",
            metavar="NAME",
            known="known_models",
            unknown="no answer is of the model",
        ),
    ] = None
    since: Annotated[
        datetime | None,
        Filter(
            help="Only what was answered, or written without an answer (documents: added), at this time or later, "
            "such as 2024-05-31 or 2024-05-31T18:30+02:00; UTC if no zone is named.",
            column="happened_at",
            operator=Operator.AT_LEAST,
            metavar="DATE",
            parse=parse_moment,
            encode=_utc,
        ),
    ] = None
    until: Annotated[
        datetime | None,
        Filter(
            help="Only what was answered, or written without an answer (documents: added), before this time, "
            "given as for since.",
            column="happened_at",
            operator=Operator.BELOW,
            metavar="DATE",
            parse=parse_moment,
            encode=_utc,
        ),
    ] = None
    title: Annotated[
        str | None,
        Filter(
            help="Only dialogues with this text in their title, documents in their name; any case.",
            column="title",
            operator=Operator.LIKE,
            encode=like_part,
        ),
    ] = None
    branch: Annotated[
        Literal["primary", "abandoned"] | None,
        Filter(
            help="Only the dialogue as it went on (primary), or only what a regeneration or an edit replaced "
            "(abandoned); no documents.",
            column="is_on_primary_path",
            encode="primary".__eq__,
        ),
    ] = None
    pair_type: Annotated[
        Literal["conversation_turn", "trace_pair"] | None,
        Filter(
            help="Only questions with answers (conversation_turn), or only calls of tools with their results "
            "(trace_pair); no documents.",
            column="pair_type",
        ),
    ] = None
    workspace: Annotated[
        str | None,
        Filter(
            help="Only dialogues of this project or custom GPT, by its id as in results; no documents.",
            column="workspace_id",
            metavar="ID",
            known="known_workspaces",
            unknown="nothing is in the workspace",
        ),
    ] = None
    session: Annotated[
        str | None,
        Filter(
            help="Only this dialogue, by its id in the source, as in the chat's URL; no documents.",
            column="session_id",
            metavar="ID",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            InvalidQueryError: one is of another type, none of the choices, or a text that is none or has more than
                ``LONGEST_FILTER`` characters.
        """
        for name, value in self.values().items():
            FILTERS[name].check(value)

    @property
    def is_empty(self) -> bool:
        """Whether anything may be found."""
        return not self.values()

    def values(self) -> dict[str, Any]:
        """Return the filters that are set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def conditions(self) -> dict[str, Condition]:
        """Return what a query demands, by the names of ``parameters``."""
        return {
            name: Condition(FILTERS[name].declared.column, FILTERS[name].declared.operator) for name in self.values()
        }

    def parameters(self) -> dict[str, Any]:
        """Return what the columns of ``conditions`` are compared with."""
        return {name: FILTERS[name].encode(value) for name, value in self.values().items()}


@dataclass(frozen=True, slots=True)
class DeclaredFilter:
    """A field of ``SearchFilters``.

    Attributes:
        name: the field's.
        type: of its values, as annotated, without None.
        declared: the rest.
    """

    name: str
    type: Any
    declared: Filter

    @property
    def choices(self) -> tuple[str, ...]:
        """All values there are; empty if any may be given."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def option(self) -> str:
        """The name of the command line's option."""
        return f"--{self.name.replace('_', '-')}"

    def check(self, value: Any) -> None:
        """Raise ``InvalidQueryError`` if the field cannot have the value."""
        if self.choices:
            if value not in self.choices:
                raise InvalidQueryError(f"the filter {self.name} is one of {', '.join(self.choices)}, not {value!r}")
        elif not isinstance(value, self.type):
            raise InvalidQueryError(f"the filter {self.name} is a {self.type.__name__}, not {value!r}")
        elif isinstance(value, str):
            check_text(f"the filter {self.name}", value, LONGEST_FILTER)

    def encode(self, value: Any) -> Any:
        """Return what the column is compared with."""
        return value if self.declared.encode is None else self.declared.encode(value)


def _declared() -> dict[str, DeclaredFilter]:
    found = {}
    for name, hint in get_type_hints(SearchFilters, include_extras=True).items():
        optional, declared = get_args(hint)
        [value_type] = [each for each in get_args(optional) if each is not type(None)]
        found[name] = DeclaredFilter(name, value_type, declared)
    return found


FILTERS: Final[Mapping[str, DeclaredFilter]] = MappingProxyType(_declared())
NO_FILTERS: Final = SearchFilters()
