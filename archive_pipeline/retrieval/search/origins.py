"""The dialogues that documents came with, as attached files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import psycopg

from archive_pipeline.store.rows import fetch_rows

_MOST: Final = 3


class Origin(NamedTuple):
    """A message that a document came with, the first of its dialogue."""

    document_id: str
    message_id: str
    partition_key: str
    title: str | None
    first_prompt: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return it as results have it."""
        return {name: value for name, value in self._asdict().items() if name != "document_id"}


def origins_of(connection: psycopg.Connection[Any], doc_ids: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Return, by id of a document, the earliest dialogues that it came with, three at most; ids of others have none."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    wanted = sorted(doc_ids)
    if not wanted:
        return found
    parameters = {"doc_ids": wanted, "count": _MOST}
    for origin in fetch_rows(connection, "search/origins_of_documents", Origin, parameters):
        found[origin.document_id].append(origin.as_dict())
    return found
