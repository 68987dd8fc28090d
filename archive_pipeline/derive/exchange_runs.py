"""Finding exchanges: runs of messages from the first of a user to the last of the assistant (seed 000).

Exchanges are computed along each root-to-leaf path and shared. Where an exchange starts depends only on the messages
above it, so an exchange is known by its last message, and one pass from parents to children finds them all. What is
said of the messages of an exchange is summed up in such a pass too: many exchanges may share the messages of a long
run, and looking at them in each exchange would take the square. Only texts are put together exchange by exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeVar
from weakref import ReferenceType, ref

from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.limits import check_characters, too_large
from archive_pipeline.domain.batch import BLANK_LINE, ROOT, DialogueBatch
from archive_pipeline.domain.identity import row_id

Value = TypeVar("Value")
NOTHING: Final = -1


class Exchanges(NamedTuple):
    """The exchanges of a batch; an exchange is a position in these lists, in the order of their last messages.

    Attributes:
        start: per message, the first message of its exchange.
        ids: id of the exchange.
        last: its last message.
        first: its first message.
        previous: the exchange before it on the path, -1 for none.
    """

    start: list[int]
    ids: list[str]
    last: list[int]
    first: list[int]
    previous: list[int]


@dataclass(frozen=True)
class ExchangeRuns:
    """The exchanges of a batch with what is said of their messages.

    Attributes:
        batch_ref: the batch, which keeps this: a reference back would keep both until cycles are looked for, and a
            build, which does that seldom, would have all of its batches in memory.
        start, ids, last, first, previous: as in ``Exchanges``.
    """

    batch_ref: ReferenceType[DialogueBatch]
    start: list[int]
    ids: list[str]
    last: list[int]
    first: list[int]
    previous: list[int]

    @property
    def batch(self) -> DialogueBatch:
        """The batch.

        Raises:
            ReferenceError: nobody holds it any more.
        """
        batch = self.batch_ref()
        if batch is None:
            raise ReferenceError("the batch of these exchanges is gone")
        return batch

    @cached_property
    def along_paths(self) -> list[int]:
        """The exchanges in an order in which each comes after the one before it on its path."""
        depth = forest_of(self.batch).depth
        return sorted(range(len(self.last)), key=lambda index: depth[self.last[index]])

    def summed(self, own: Sequence[Value], add: Callable[[Value, Value], Value]) -> list[Value]:
        """Return per exchange the sum over its messages, first to last, of what each has of its own."""
        found, start, parents = list(own), self.start, self.batch.parent
        for position in forest_of(self.batch).order:
            if start[position] != position:
                found[position] = add(found[parents[position]], own[position])
        return [found[last] for last in self.last]

    @cached_property
    def users(self) -> list[list[int]]:
        """The user messages with text of each exchange, in order."""
        self._check()
        return [self.user_texts_of(index) for index in range(len(self.last))]

    @cached_property
    def assistants(self) -> list[list[int]]:
        """The assistant messages with text of each exchange, in order."""
        self._check()
        return [self.assistant_texts_of(index) for index in range(len(self.last))]

    @cached_property
    def user_text(self) -> list[str | None]:
        """Texts of the user messages, joined by a blank line."""
        return [self._join(positions) for positions in self.users]

    @cached_property
    def assistant_text(self) -> list[str | None]:
        """Texts of the assistant messages, joined by a blank line."""
        return [self._join(positions) for positions in self.assistants]

    @cached_property
    def too_large(self) -> frozenset[int]:
        """The dialogues whose exchanges would have more text than they may (``limits``)."""
        return frozenset(too_large(self._sizes))

    def user_texts_of(self, index: int) -> list[int]:
        """Return the user messages with text of one exchange, in order."""
        return self._texts_of(index, self._nearest_user)

    def assistant_texts_of(self, index: int) -> list[int]:
        """Return the assistant messages with text of one exchange, in order."""
        return self._texts_of(index, self._nearest_assistant)

    def _check(self) -> None:
        check_characters(self.batch, "exchange_content", self._sizes)

    @cached_property
    def _sizes(self) -> list[tuple[int, int]]:
        said = {"user", "assistant"}
        own = [
            len(text) if text is not None and role in said else 0
            for role, text in zip(self.batch.role, self.batch.text, strict=True)
        ]
        characters = self.summed(own, int.__add__)
        dialogues = [self.batch.dialogue[last] for last in self.last]
        return list(zip(dialogues, characters, strict=True))

    @cached_property
    def _nearest_user(self) -> list[int]:
        return self._nearest("user")

    @cached_property
    def _nearest_assistant(self) -> list[int]:
        return self._nearest("assistant")

    def _nearest(self, role: str) -> list[int]:
        """Return per message the nearest message of the role with text in its exchange, itself or above it."""
        batch, start = self.batch, self.start
        nearest = [NOTHING] * len(batch)
        for position in forest_of(batch).order:
            if batch.role[position] == role and batch.text[position] is not None:
                nearest[position] = position
            elif start[position] != position:
                nearest[position] = nearest[batch.parent[position]]
        return nearest

    def _texts_of(self, index: int, nearest: list[int]) -> list[int]:
        """Climb from text to text: messages without any, as tools' are, are passed over at once."""
        parents, start = self.batch.parent, self.start
        found: list[int] = []
        position = nearest[self.last[index]]
        while position != NOTHING:
            found.append(position)
            position = NOTHING if start[position] == position else nearest[parents[position]]
        found.reverse()
        return found

    def _join(self, positions: list[int]) -> str | None:
        texts = self.batch.text
        return BLANK_LINE.join([text for position in positions if (text := texts[position]) is not None]) or None


def exchange_runs_of(batch: DialogueBatch) -> ExchangeRuns:
    """Return the exchanges, found once and shared by the tables about them."""
    return batch.bound(_runs)


def _runs(batch: DialogueBatch) -> ExchangeRuns:
    return ExchangeRuns(ref(batch), *batch.computed(find_exchanges))


def find_exchanges(batch: DialogueBatch) -> Exchanges:
    """Find all exchanges of the batch.

    An exchange closes when an assistant message has been seen and the next message on the path is a user message.
    """
    start, closes = _starts(batch)
    last = [position for position in range(len(batch)) if closes[position]]
    number = {position: index for index, position in enumerate(last)}
    before = [batch.parent[start[position]] for position in last]
    return Exchanges(
        start=start,
        ids=[row_id("exchange", batch.message_ids[position]) for position in last],
        last=last,
        first=[start[position] for position in last],
        previous=[-1 if position == ROOT else number[position] for position in before],
    )


def _starts(batch: DialogueBatch) -> tuple[list[int], list[bool]]:
    """Per message: the first message of its exchange, and whether an exchange ends with it on some path."""
    roles, parents = batch.role, batch.parent
    start = list(range(len(batch)))
    answered = [False] * len(batch)
    closes = [not below for below in forest_of(batch).children]
    for position in forest_of(batch).order:
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
