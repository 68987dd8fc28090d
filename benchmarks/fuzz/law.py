"""The law applied to conversations: nothing of them is lost without a word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from archive_pipeline.ingest.prepare import PreparedDialogue
from archive_pipeline.readers.json.shapes import DUPLICATE_MESSAGE
from archive_pipeline.readers.llm_spans.held import CALLS, SPANS_OF
from archive_pipeline.readers.zed.recognition import is_text_thread
from benchmarks.fuzz.marks import Values, missing
from benchmarks.fuzz.rows import ReadFile, values_of

# The type of a block that says nothing but a text, and of a call: that it is one follows from the column that it is in.
UNSAID: Final = frozenset({"text", "function"})
# What text threads are told by.
_ZED: Final = "zed"
# Of an element of the file, and of what stands inside of one: that may be conversations, if the element is none.
_INDEX: Final = re.compile(r"\.(?:json|html|csv)\[(\d+)\]")


def said_in(*conversations: object) -> Values:
    """Return the values that are looked for in the rows of conversations.

    In the place of the text of a text thread of Zed those are its lines, since they stand in messages one by one.
    """
    given = Values()
    for conversation in conversations:
        given.add(conversation)
    given.strings -= UNSAID
    for item in Values().add_kept([*conversations]) if _ZED in given.keys else []:
        if isinstance(item, dict) and is_text_thread(item) and isinstance(item.get("text"), str):
            given.strings.discard(item["text"])
            given.strings.update(item["text"].split("\n"))
    return given


def lost(conversation: object, *dialogues: PreparedDialogue) -> list[str]:
    """Return the values of a conversation that no column of the rows has that were made of it.

    Messages whose ids became the same by sanitising are one message; the original bytes, a column of the dialogue too,
    have the others.
    """
    absent = missing(said_in(_without_numbers(conversation)), values_of(*dialogues))
    is_original_kept = any(each.raw is not None and DUPLICATE_MESSAGE in each.counts for each in dialogues)
    return [] if is_original_kept else absent


def _without_numbers(conversation: object) -> object:
    """Return gathered spans without the numbers by which calls name messages: they are no values of a file."""
    if (
        not isinstance(conversation, dict)
        or SPANS_OF not in conversation
        or not isinstance(conversation.get(CALLS), list)
    ):
        return conversation
    calls = [
        {name: item for name, item in call.items() if name not in ("given", "answers")}
        for call in conversation[CALLS]
        if isinstance(call, dict)
    ]
    return {**conversation, CALLS: calls}


def unlawful(conversations: Sequence[object], read: ReadFile) -> Iterator[str]:
    """Yield what was lost of the conversations of a file: values, and whole conversations that nobody mentions."""
    by_index: defaultdict[int | None, list[PreparedDialogue]] = defaultdict(list)
    for dialogue in read.dialogues:
        by_index[_index(dialogue.record.locator)].append(dialogue)
    told = {_index(record.locator) for record in read.rejected}
    is_whole_file_told = read.is_skipped or any(record.whole_file for record in read.rejected)
    for index, conversation in enumerate(conversations):
        if index in told:
            continue
        if index in by_index:
            absent = lost(conversation, *by_index[index])
            if absent:
                yield f"lost values: {', '.join(absent)}"
        elif not is_whole_file_told:
            yield f"conversation {index} vanished"


def _index(locator: str) -> int | None:
    match = _INDEX.search(locator)
    return int(match[1]) if match else None
