"""The search form: what the fields of a request mean, and the address that asks for the same again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.errors import InvalidQueryError
from archive_pipeline.retrieval.search.filters import SearchFilters, parse_moment
from archive_pipeline.store.dialogue_list import ListFilters

FIELDS: Final = ("q", "source", "model", "title", "since", "until", "workspace", "archived", "starred")
_OF_BOTH: Final = ("source", "model", "title", "since", "until", "workspace")
_STATES: Final = {"": None, "yes": True, "no": False}
_LARGEST_NUMBER: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class SearchForm:
    """The fields as the user filled them in; empty ones are empty texts."""

    q: str = ""
    source: str = ""
    model: str = ""
    title: str = ""
    since: str = ""
    until: str = ""
    workspace: str = ""
    archived: str = ""
    starred: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> SearchForm:
        """Take the fields from the query of a request."""
        return cls(**{name: query.get(name, "").strip() for name in FIELDS})

    @property
    def is_filtered(self) -> bool:
        """Whether a field besides the words is filled in."""
        return any(getattr(self, name) for name in FIELDS[1:])

    def filters(self) -> SearchFilters:
        """Return the filters.

        Raises:
            InvalidQueryError: a field makes no sense, or is none of a search.
        """
        if self.archived or self.starred:
            raise InvalidQueryError(
                "Archived and Starred choose from the list, not from what a search finds; clear them"
            )
        return self._search_filters()

    def _search_filters(self) -> SearchFilters:
        return SearchFilters(
            source=self.source or None,
            model=self.model or None,
            title=self.title or None,
            since=_moment("From", self.since),
            until=_moment("Before", self.until),
            workspace=self.workspace or None,
        )

    def list_filters(self) -> ListFilters:
        """Return the filters of the list of dialogues.

        Raises:
            InvalidQueryError: a field makes no sense.
        """
        filters = self._search_filters()
        return ListFilters(
            **{name: getattr(filters, name) for name in _OF_BOTH},
            archived=_state("Archived", self.archived),
            starred=_state("Starred", self.starred),
        )

    def address(self, **more: str) -> str:
        """Return the address of the list with these fields and others."""
        fields = {name: getattr(self, name) for name in FIELDS if getattr(self, name)}
        return "/?" + urlencode({**fields, **more})


def number_of(query: Mapping[str, str], name: str) -> int | None:
    """Return a whole number from 0 of a request; None if it is not there.

    Raises:
        InvalidQueryError: it is no such number.
    """
    text = query.get(name)
    if text is None:
        return None
    if (
        not (text.isascii() and text.isdigit())
        or int(text[:11]) > _LARGEST_NUMBER
        or len(text) > len(str(_LARGEST_NUMBER))
    ):
        raise InvalidQueryError(f"{name}={text[:40]!r} is no number that can be asked for")
    return int(text)


def place_of(query: Mapping[str, str]) -> tuple[datetime, str] | None:
    """Return where the page before ended, ``after=<time>_<id>``; None for the first page.

    Raises:
        InvalidQueryError: it is no such place.
    """
    text = query.get("after")
    if not text:
        return None
    moment, _, name = text.partition("_")
    row_id = as_uuid(name)
    if row_id is None:
        raise InvalidQueryError("the address of the page is not whole; begin with the first page")
    try:
        return parse_moment(moment), row_id
    except ValueError as error:
        raise InvalidQueryError("the address of the page is not whole; begin with the first page") from error


def place_text(moment: datetime, row_id: str) -> str:
    """Return a place as ``place_of`` reads it."""
    return f"{moment.isoformat()}_{row_id}"


def _state(label: str, text: str) -> bool | None:
    if text not in _STATES:
        raise InvalidQueryError(f"{label}: {text[:40]!r} is neither yes nor no")
    return _STATES[text]


def _moment(label: str, text: str) -> datetime | None:
    if not text:
        return None
    try:
        return parse_moment(text)
    except ValueError as error:
        raise InvalidQueryError(f"{label}: {error}") from error
