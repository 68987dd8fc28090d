"""Which dialogue started a subagent, and which subagents a dialogue started: what readers go on to from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import psycopg

from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.text.dialogue_names import dialogue_name

MOST_SUBAGENTS: Final = 200


@dataclass(frozen=True, slots=True)
class LinkedDialogue:
    """A dialogue that another one is linked with.

    Attributes:
        source_id: its id in the source.
        partition_key: None if the archive does not have it; there is no title then either.
        count: of subagents, how many there are.
    """

    relation: Literal["parent", "subagent"]
    source_id: str
    partition_key: str | None
    title: str | None
    first_prompt: str | None
    count: int

    @property
    def name(self) -> str:
        """What people call it."""
        return dialogue_name(self.title, self.first_prompt)

    def as_dict(self) -> dict[str, str | None]:
        """Return it for programs."""
        return {name: getattr(self, name) for name in ("source_id", "partition_key", "title", "first_prompt")}


@dataclass(frozen=True, slots=True)
class Subagents:
    """What a dialogue is linked with.

    Attributes:
        parent: the dialogue that started it, if it is a subagent's.
        started: the first dialogues of its subagents, at most ``MOST_SUBAGENTS``.
        count: how many it has.
    """

    parent: LinkedDialogue | None
    started: Sequence[LinkedDialogue]
    count: int


def read_subagents(connection: psycopg.Connection[Any], dialogue_id: str) -> Subagents:
    """Return what a dialogue is linked with; subagents in the order in which they began."""
    parameters = {"id": dialogue_id, "limit": MOST_SUBAGENTS}
    found = fetch_rows(connection, "reading/linked_dialogues", LinkedDialogue, parameters)
    started = [each for each in found if each.relation == "subagent"]
    parent = next((each for each in found if each.relation == "parent"), None)
    return Subagents(parent, started, started[0].count if started else 0)
