"""Finding exchanges: runs of messages from the first of a user to the last of the assistant (seed 000).

Exchanges are computed along each root-to-leaf path and shared. Where an exchange starts depends only on the messages
above it, so an exchange is known by its last message, and one pass from parents to children finds them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from archive_pipeline.derive.batch import BLANK_LINE, DialogueBatch
from archive_pipeline.derive.forest import ROOT
from archive_pipeline.identity import row_id


@dataclass(frozen=True)
class ExchangeRuns:
    """The exchanges of a batch; an exchange is a position in these lists, in the order of their last messages.

    Attributes:
        ids: id of the exchange.
        last: its last message.
        first: its first message.
        previous: the exchange before it on the path, -1 for none.
        users, assistants: its user and assistant messages in order.
    """

    batch: DialogueBatch
    ids: list[str]
    last: list[int]
    first: list[int]
    previous: list[int]
    users: list[list[int]]
    assistants: list[list[int]]

    @cached_property
    def along_paths(self) -> list[int]:
        """The exchanges in an order in which each comes after the one before it on its path."""
        depth = self.batch.forest.depth
        return sorted(range(len(self.last)), key=lambda index: depth[self.last[index]])

    @cached_property
    def user_text(self) -> list[str | None]:
        """Texts of the user messages, joined by a blank line."""
        return [self._join(positions) for positions in self.users]

    @cached_property
    def assistant_text(self) -> list[str | None]:
        """Texts of the assistant messages, joined by a blank line."""
        return [self._join(positions) for positions in self.assistants]

    def _join(self, positions: list[int]) -> str | None:
        texts = self.batch.text
        if len(positions) == 1:
            return texts[positions[0]]
        return BLANK_LINE.join([text for position in positions if (text := texts[position]) is not None]) or None


def find_exchanges(batch: DialogueBatch) -> ExchangeRuns:
    """Find all exchanges of the batch.

    An exchange closes when an assistant message has been seen and the next message on the path is a user message.
    """
    start, closes = _starts(batch)
    last = [position for position in range(len(batch)) if closes[position]]
    number = {position: index for index, position in enumerate(last)}
    users: list[list[int]] = []
    assistants: list[list[int]] = []
    for position in last:
        members = members_of(batch, start[position], position)
        users.append([member for member in members if batch.role[member] == "user"])
        assistants.append([member for member in members if batch.role[member] == "assistant"])
    before = [batch.parent[start[position]] for position in last]
    return ExchangeRuns(
        batch=batch,
        ids=[row_id("exchange", batch.message_ids[position]) for position in last],
        last=last,
        first=[start[position] for position in last],
        previous=[-1 if position == ROOT else number[position] for position in before],
        users=users,
        assistants=assistants,
    )


def _starts(batch: DialogueBatch) -> tuple[list[int], list[bool]]:
    """Per message: the first message of its exchange, and whether an exchange ends with it on some path."""
    roles, parents = batch.role, batch.parent
    start = list(range(len(batch)))
    answered = [False] * len(batch)
    closes = [not below for below in batch.forest.children]
    for position in batch.forest.order:
        role, parent = roles[position], parents[position]
        if parent != ROOT:
            if role == "user" and answered[parent]:
                closes[parent] = True
                continue
            start[position] = start[parent]
            answered[position] = answered[parent]
        if role == "assistant":
            answered[position] = True
    return start, closes


def members_of(batch: DialogueBatch, first: int, last: int) -> list[int]:
    """Return the messages on the way from ``first`` down to ``last``."""
    members = [last]
    while members[-1] != first:
        members.append(batch.parent[members[-1]])
    members.reverse()
    return members
