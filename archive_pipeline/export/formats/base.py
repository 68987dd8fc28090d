"""What formats have in common: what they are given, what they yield, which choices they know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pyarrow as pa

from archive_pipeline.export.answers import answered_turns
from archive_pipeline.export.branches import chosen_leaves
from archive_pipeline.export.chat import turns_by_state
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.duplicates import KeptAnswers
from archive_pipeline.export.selection import Group
from archive_pipeline.export.tool_specs import tool_specs
from archive_pipeline.export.turns import Turn, joined
from archive_pipeline.retrieval.reading.attached_files import AttachedContent
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.text.tokens import default_counter

# Choices that every format knows are those of dialogues, and redaction.
CHAT: Final = frozenset({"paths", "roles", "thinking", "max_tokens", "drop_duplicates", "splits"})

# Counts of what was left out.
TOO_LONG: Final = "examples of too many tokens"
NOTHING_NEW: Final = "paths that say nothing new"
NO_ANSWER: Final = "paths without a whole answer"
NO_MESSAGE: Final = "paths without a message to export"
NO_PROMPT: Final = "answers without a prompt"

# Of columns whose values have another shape in every row.
JSON: Final = pa.json_()


def calls_type(arguments: pa.DataType) -> pa.DataType:
    """Return the type of ``tool_calls`` in messages, whose arguments are of a type."""
    text = pa.string()
    function = pa.struct([("name", text), ("arguments", arguments)])
    return pa.list_(pa.struct([("id", text), ("type", text), ("function", function)]))


Kind = Literal["lines", "files", "tables"]


@dataclass
class Run:
    """What a format needs besides dialogues.

    Attributes:
        choices: what is exported.
        redact: what every text goes through that is not part of a dialogue that was read.
        kept: which answers are copies; nothing is made of examples while these are offered.
        read, written, left_out: counts by name; formats count what they leave out.
    """

    choices: Choices
    redact: Callable[[str], str] = str
    kept: KeptAnswers = field(default_factory=KeptAnswers)
    read: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Rows:
    """Some rows of a table.

    Attributes:
        columns: by name, of Python or of Arrow.
        counts: how many rows each dialogue of the group has, in the order of the dialogues, which is that of the rows.
    """

    columns: Mapping[str, Sequence[Any] | pa.Array | pa.ChunkedArray]
    counts: list[int]


Row = dict[str, Any]
Lines = Callable[[Dialogue, Group, Run], Iterator[Row]]
Files = Callable[[Dialogue, Group, Run], Iterator[tuple[str, bytes | AttachedContent]]]
Tables = Callable[[Group, Run], Iterator[tuple[str, Rows]]]


@dataclass(frozen=True)
class Path:
    """A path that is exported.

    Attributes:
        turns: what is said along it.
        known: messages that an earlier path of the dialogue had.
        leaf: position of its last message.
    """

    turns: list[Turn]
    known: frozenset[int]
    leaf: int

    def trains(self, turn: Turn) -> bool:
        """Return whether a turn is a whole answer that no earlier path had as it is here."""
        return turn.role == "assistant" and turn.is_complete and self.is_new(turn)

    def is_new(self, turn: Turn) -> bool:
        """Return whether no earlier path had the turn as it is here."""
        return not self.known or not self.known.issuperset(turn.positions)


def chat_paths(
    dialogue: Dialogue, run: Run, *, is_training: bool, has_context: bool = False, is_one_example: bool = True
) -> Iterator[Path]:
    """Yield the chosen paths of a dialogue that have something to say that no earlier one had.

    Args:
        dialogue: the dialogue.
        run: with the choices.
        is_training: paths end with a whole answer that something stands before, and others are left out.
        has_context: answers that were interrupted stay, and are for the format to leave untrained.
        is_one_example: each path is an example, which may be too long.
    """
    known: set[int] = set()
    if not dialogue.messages:
        run.left_out["dialogues without messages"] += 1
    for leaf in chosen_leaves(dialogue, run.choices.paths):
        said = turns_by_state(dialogue, dialogue.path(leaf), run.choices.roles, run.left_out)
        found = answered_turns(said, run.left_out, has_context=has_context) if is_training else joined(said)
        path = Path(found, frozenset(known), leaf)
        told = [turn for turn in found if not is_training or (turn.role == "assistant" and turn.is_complete)]
        if not any(map(path.is_new, told)):
            run.left_out[NOTHING_NEW if told else NO_ANSWER if is_training else NO_MESSAGE] += 1
        elif is_training and len(found) == 1:
            # Nothing tells a model when to say so, and many templates refuse it.
            run.left_out[NO_PROMPT] += 1
        elif not is_one_example or is_within_tokens(found, run):
            known.update(position for turn in found for position in turn.positions)
            yield path


def is_within_tokens(found: Sequence[Turn], run: Run) -> bool:
    """Return whether an example is as short as was asked; count it if it is not."""
    limit = run.choices.max_tokens
    if limit is None:
        return True
    tokens = 0
    for turn in found:
        tokens += tokens_of(turn, run)
        if tokens > limit:
            run.left_out[TOO_LONG] += 1
            return False
    return True


def tokens_of(turn: Turn, run: Run) -> int:
    """Return the number of tokens of all texts of a turn that are exported."""
    return sum(default_counter().count(text) for text in texts_of(turn, run))


def texts_of(turn: Turn, run: Run) -> Iterator[str]:
    """Yield all texts of a turn that are exported."""
    yield turn.content
    if run.choices.thinking:
        yield turn.thinking
    yield from (call.arguments for call in turn.calls)
    yield from (result.content for result in turn.results)


def tools_of(dialogue: Dialogue, found: Iterable[Turn], group: Group, run: Run) -> list[dict[str, Any]]:
    """Return the tools of an example as ``tool_specs`` does; none where calls are left out."""
    if "tool" not in run.choices.roles:
        return []
    defined = group.tools.get(dialogue.heading.dialogue_id, ())
    if defined and run.choices.redact:
        # A field that is named like a secret describes one there, and does not hold it.
        run.left_out["definitions of tools, which cannot be redacted"] += len(defined)
        defined = ()
    return tool_specs(found, defined)


def is_copy(dialogue: Dialogue, turn: Turn, group: Group, run: Run) -> bool:
    """Return whether all that a turn says is a copy of what the export keeps."""
    return bool(group.members) and run.kept.are_copies(_message_ids(dialogue, turn), group.members)


def are_copies(dialogue: Dialogue, found: Sequence[Turn], group: Group, run: Run) -> bool:
    """Return whether all answers among turns are copies, and count the example if they are.

    While answers are offered they are taken, and nothing is made of the example.
    """
    answers = [turn for turn in found if turn.role == "assistant"]
    if run.kept.is_offering:
        for turn in answers:
            run.kept.offer(_message_ids(dialogue, turn), group.members)
        return True
    if answers and all(is_copy(dialogue, turn, group, run) for turn in answers):
        run.left_out["duplicates"] += 1
        return True
    return False


def _message_ids(dialogue: Dialogue, turn: Turn) -> list[str]:
    ids = dialogue.batch.message_ids
    return [ids[position] for position in turn.positions]


@dataclass(frozen=True)
class Format:
    """One format.

    Attributes:
        name: as the command takes it.
        description: what it is, for people.
        kind: lines of JSON, files with a name of their own, or tables.
        knows: choices that change it, besides those of dialogues.
        lines, files, tables: what makes it, as its kind says.
        schemas: per table its columns.
        features: columns of the lines, which a reader infers differently from files that lack some; None where no table
            of Arrow can have them.
        has_lines: tables are written as lines of JSON too.
        query: what is derived of messages and read instead of them, as the name of a query about dialogues.
        data: of files that are data, the pattern of their names; readers would take the manifest for one of them.
        has_attached: the files that messages came with are part of it.
        needs: derived assets that it is made of.
        is_redacted: secrets are replaced unless that is declined.
        tags: of its dataset card.
    """

    name: str
    description: str
    kind: Kind
    knows: frozenset[str]
    lines: Lines | None = None
    files: Files | None = None
    tables: Tables | None = None
    schemas: Mapping[str, pa.Schema] = field(default_factory=dict)
    features: Callable[[Choices], pa.Schema] | None = None
    has_lines: bool = False
    query: str | None = None
    data: str | None = None
    has_attached: bool = False
    needs: tuple[str, ...] = ()
    is_redacted: bool = False
    tags: tuple[str, ...] = ()
