"""The input of every derived table: the live messages of some dialogues, column by column, or pages of documents.

Columns are plain Python lists where the work goes from parent to child (indexing a list is three times faster than
indexing an array) and NumPy arrays where it is vectorised. A message is known by its position in the batch.
"""

from __future__ import annotations

import itertools
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

Result = TypeVar("Result")

NO_TIME: Final = np.iinfo(np.int64).min
# The parent of a message without parent.
ROOT: Final = -1
# Ids, numbers, and what is computed of a message or part: measured.
_BYTES_PER_ENTRY: Final = 1_500
# Between the texts of parts, and of messages: a space would glue a code fence to prose (decision on texts).
BLANK_LINE: Final = "\n\n"


@dataclass(frozen=True)
class ToolParts:
    """Tool calls and results, one entry per part, in the order of messages and parts.

    Attributes:
        message: position of the message in the batch.
        is_result: False for a call.
        tool_use_id, tool_name, tool_input, text: as in ``raw.content_parts``; ``tool_input`` is JSON text.
        is_error: the tool reported an error.
    """

    message: list[int]
    is_result: list[bool]
    tool_use_id: list[str | None]
    tool_name: list[str | None]
    tool_input: list[str | None]
    text: list[str | None]
    is_error: list[bool]


@dataclass(frozen=True)
class Media:
    """Images, audio, video, files and attachments, one entry each, in the order of messages; parts before attachments.

    Attributes:
        message: position of the message in the batch.
        content_sha256: hash of the content where the source has it, else None.
        uri: pointer to it, in the source or on the web.
        file_name: its name or path.
        tool_use_id: call whose result it is part of.
    """

    message: list[int]
    content_sha256: list[str | None]
    uri: list[str | None]
    file_name: list[str | None]
    tool_use_id: list[str | None]


@dataclass(frozen=True)
class Artifacts:
    """Artifacts and code that have a text, one entry per part, in the order of messages and parts.

    Attributes:
        message: position of the message in the batch.
        part_id, text: as in ``raw.content_parts``.
    """

    message: list[int] = field(default_factory=list)
    part_id: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class DialogueBatch:
    """Some dialogues and all their live messages.

    Messages are sorted by dialogue, then by time with unknown times first, then by sequence number; ``dialogue`` is
    therefore ascending.

    Attributes:
        dialogue_ids: ids of the dialogues, those without messages too.
        active_ids: per dialogue, the message the source's own pointer leads to, or None.
        message_ids: per message, its id.
        dialogue: per message, the position of its dialogue in ``dialogue_ids``.
        parent: per message, the position of its parent, -1 for a root.
        role: per message, one of the four roles.
        sequence_number: per message, its number in the dialogue.
        created_at: per message, microseconds since 1970 UTC, ``NO_TIME`` if unknown.
        is_complete: per message, False while it streams, after an abort, or after an error.
        is_hidden: per message, True if the source does not show it.
        text: per message, its visible text parts joined by a blank line, None if there is none.
        has_other_content: per message, True if it has an attachment or any part that is not visible text;
            a blank text is none.
        tools: tool calls and results.
        media: images, files and the like.
        options: per message, the options of the request that made it, as JSON text; None if unknown.
        artifacts: artifacts and code, which are no visible text.
        workspace_ids, session_ids: dialogue -> its workspace (project, else custom assistant) and its id in the source;
            empty where the messages are not those of an archive.
        results: what was computed of it, by function.
    """

    dialogue_ids: list[str]
    active_ids: list[str | None]
    message_ids: list[str]
    dialogue: list[int]
    parent: list[int]
    role: list[str]
    sequence_number: list[int]
    created_at: npt.NDArray[np.int64]
    is_complete: list[bool]
    is_hidden: list[bool]
    text: list[str | None]
    has_other_content: list[bool]
    tools: ToolParts
    media: Media
    options: list[str | None]
    artifacts: Artifacts = field(default_factory=Artifacts)
    workspace_ids: Mapping[str, str | None] = field(default_factory=dict)
    session_ids: Mapping[str, str | None] = field(default_factory=dict)
    results: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _bound: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.message_ids)

    def positions(self, dialogue: int) -> range:
        """Where the messages of a dialogue are."""
        return range(bisect_left(self.dialogue, dialogue), bisect_right(self.dialogue, dialogue))

    @cached_property
    def dialogue_of_message(self) -> list[str]:
        """Per message, the id of its dialogue."""
        ids = self.dialogue_ids
        return [ids[index] for index in self.dialogue]

    def computed(self, compute: Callable[[DialogueBatch], Result]) -> Result:
        """Return what the function makes of the batch, computed once and shared by all who ask for it.

        It is kept beside a batch that is put into a file: function and result can be pickled.
        """
        return _once(self, self.results, compute)

    def bound(self, compute: Callable[[DialogueBatch], Result]) -> Result:
        """Return the same of a function whose result refers to the batch: it goes with the batch."""
        return _once(self, self._bound, compute)

    @property
    def memory_bytes(self) -> int:
        """About how much memory it takes, with what is computed of it, for caches with a budget."""
        texts = (self.text, self.tools.text, self.tools.tool_input, self.artifacts.text)
        of_texts = sum(map(sys.getsizeof, itertools.chain.from_iterable(texts)))
        return of_texts + (len(self) + len(self.tools.message) + len(self.media.message)) * _BYTES_PER_ENTRY


@dataclass(frozen=True)
class DocumentBatch:
    """Some documents with the texts of their pages.

    Attributes:
        document_ids: ids of the documents, those without pages too.
        pages: per document, numbers and texts of its pages, in order.
    """

    document_ids: list[str]
    pages: list[list[tuple[int, str]]]

    def __len__(self) -> int:
        return sum(map(len, self.pages))


def _once(batch: DialogueBatch, known: dict[Any, Any], compute: Callable[[DialogueBatch], Result]) -> Result:
    if compute not in known:
        known[compute] = compute(batch)
    result: Result = known[compute]
    return result


def join_texts(texts: Iterable[str]) -> str | None:
    """Return the text of a message: its visible texts joined by a blank line, None if they say nothing."""
    text = BLANK_LINE.join(texts)
    return text if text and not text.isspace() else None
