"""Lines of a session gathered into messages: several lines of one answer are one message.

A line has one block of an answer, or all blocks so far. A line by the user may be a tool's result, something that the
tool put in, or what the user said; it may also be results with words of the user behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from archive_pipeline.domain.records import Role
from archive_pipeline.readers.claude_code.content import blocks_of, is_result, text_of
from archive_pipeline.readers.claude_code.injected import segments, typed_command
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import DUPLICATE_MESSAGE, as_identifier, as_object, as_text
from archive_pipeline.readers.json_lines import is_unreadable
from archive_pipeline.readers.left_out_lines import is_left_out, lacks_message

_Line = Mapping[str, Any]
# Events of which nothing is a message.
_EVENTS: Final = frozenset(
    {
        *("agent-color", "agent-name", "agent-setting", "ai-title", "attachment", "attribution-snapshot"),
        *("content-replacement", "custom-title", "file-history-snapshot", "last-prompt", "mode", "permission-mode"),
        *("pr-link", "progress", "queue-operation", "summary", "system", "tag", "task-summary", "worktree-state"),
    }
)
# Whose words a prompt is where it says so: of these, nobody's who types here.
_NO_HUMAN: Final = frozenset(
    ("auto-continuation", "channel", "coordinator", "observer", "observer-activity", "peer", "task-notification")
)
SYNTHETIC: Final = "<synthetic>"  # the model of what the tool says in the model's place
_META: Final = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isVirtual")


@dataclass(slots=True)
class Draft:
    """A message to be.

    Attributes:
        id: its id: the uuid of its first line.
        role: who speaks.
        lines: its lines, in order; none if it is the user's words behind the results of another message's line.
        blocks: its content.
        pointer: the uuid of the line before it, as the source says; None for a root.
        has_pointer: the source says which line that is, or that there is none.
        is_side: a subagent's, in a session of others.
        context: what the source calls it if the tool put it in; None for words of the user, model and tools.
        files: lines of files that came with it.
        superseded: of its content, what a later line has with more text.
    """

    id: str
    role: Role
    lines: list[_Line]
    blocks: list[Any]
    pointer: str | None
    has_pointer: bool
    is_side: bool = False
    context: str | None = None
    files: list[_Line] = field(default_factory=list)
    superseded: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class Gathered:
    """What a session's lines are.

    Attributes:
        drafts: its messages, in the file's order.
        message_of: by uuid of a line, the id of the message that follows on from it.
        passed: by uuid of a line without a message, the uuid of the line before it.
        events: lines that are no message, with what of the others is in none.
    """

    drafts: list[Draft] = field(default_factory=list)
    message_of: dict[str, str] = field(default_factory=dict)
    passed: dict[str, str | None] = field(default_factory=dict)
    events: list[Any] = field(default_factory=list)


class Gathering:
    """Gathers the lines of one session."""

    def __init__(self, warnings: Counter[str]) -> None:
        self.found = Gathered()
        self._warnings = warnings
        self._seen: dict[str, _Line] = {}
        self._answers: dict[str, Draft] = {}

    def gather(self, lines: Iterable[Any]) -> Gathered:
        """Returns what the lines are."""
        for number, line in enumerate(lines):
            if is_unreadable(line):
                self._warnings["malformed_message"] += 1
                self.found.events.append(line)
            elif is_left_out(line):
                self._left_out(line, as_identifier(line.get("uuid")))
            elif not self._is_repeated(line):
                self._take(line, f"line-{number}")
        return self.found

    def _is_repeated(self, line: _Line) -> bool:
        name = as_identifier(line.get("uuid"))
        if name is None:
            return False
        first = self._seen.setdefault(name, line)
        if first is line:
            return False
        if first != line:
            self._warnings[DUPLICATE_MESSAGE] += 1
            self.found.events.append(line)
        return True

    def _take(self, line: _Line, made: str) -> None:
        kind = line.get("type")
        name = as_identifier(line.get("uuid"))
        if kind == "assistant" and isinstance(line.get("message"), dict):
            self._answer(line, name or made)
        elif kind == "user" and isinstance(line.get("message"), dict):
            self._user(line, name or made)
        elif kind == "attachment" and (prompt := _queued(line)) is not None:
            context = _context_of(line) or _mode_of(line) or _context_in(prompt)
            self._add(line, name or made, "user", prompt, context)
        elif kind == "system" and as_text(line.get("content")):
            context = as_text(line.get("subtype")) or "system"
            self._add(line, name or made, "system", [line["content"]], context)
        else:
            self._event(line, name)

    def _event(self, line: _Line, name: str | None) -> None:
        kind = as_text(line.get("type")) or "none"
        if kind in ("user", "assistant"):
            self._warnings["malformed_message"] += 1
            self._seen.pop(name or "", None)  # another line may have the message of this id
        elif kind not in _EVENTS:
            self._warnings[f"unknown_line:{kind}"] += 1
        self._pass_over(line, name)

    def _pass_over(self, line: _Line, name: str | None) -> None:
        self.found.events.append(line)
        if name is not None:
            self.found.passed[name] = _pointer(line)

    def _left_out(self, line: _Line, name: str | None) -> None:
        """Takes a line that is left out: a prompt is a message all the same, others may be a part of one."""
        if name is None or name in self._seen or not lacks_message(line) or not _may_be_prompt(line):
            self._pass_over(line, name)
            return
        self._seen[name] = line
        self._add(line, name, "user", [], None)
        self._answers.clear()

    def _answer(self, line: _Line, name: str) -> None:
        message = as_object(line["message"])
        key = as_text(message.get("id"))
        draft = self._answers.get(key or "")
        if draft is not None and _is_same_answer(draft.lines[0], line):
            draft.lines.append(line)
            _continue(draft, blocks_of(message))
            self.found.message_of[name] = draft.id
            return
        is_synthetic = message.get("model") == SYNTHETIC and line.get("isApiErrorMessage") is not True
        draft = self._add(line, name, "assistant", blocks_of(message), "synthetic" if is_synthetic else None)
        if key is not None:
            self._answers[key] = draft

    def _user(self, line: _Line, name: str) -> None:
        blocks = blocks_of(line["message"])
        results = [block for block in blocks if is_result(block)]
        context = _context_of(line)
        if not results:
            context = context or _context_in(blocks)
            self._add(line, name, "user" if context is None else "system", blocks, context)
            if context is None:
                self._answers.clear()  # what an answer is called may be no id at all
            return
        words = [block for block in blocks if text_of(block)]
        if context is not None or not words or _context_in(words) is not None:
            self._add(line, name, "tool", blocks, None)
            return
        self._add(line, name, "tool", [block for block in blocks if not text_of(block)], None)
        behind = self._add(line, f"{name}-text", "user", words, None)
        behind.pointer, behind.lines = name, []

    def _add(self, line: _Line, name: str, role: Role, blocks: list[Any], context: str | None) -> Draft:
        draft = Draft(
            id=name,
            role="system" if context is not None else role,
            lines=[line],
            blocks=blocks,
            pointer=_pointer(line),
            has_pointer="parentUuid" in line,
            is_side=line.get("isSidechain") is True,
            context=context,
        )
        self.found.drafts.append(draft)
        self.found.message_of[name] = name
        self.found.passed.pop(name, None)
        return draft


def _may_be_prompt(line: _Line) -> bool:
    """Tells whether a line of which no texts are known is what the user said, as far as the rest of it says."""
    if line.get("type") != "user" or not isinstance(line.get("message"), dict) or _context_of(line) is not None:
        return False
    return "toolUseResult" not in line and not any(map(is_result, blocks_of(line["message"])))


def _pointer(line: _Line) -> str | None:
    """Returns the line before one; before a compaction stands what came before it, which its parent is not."""
    return as_identifier(line.get("parentUuid")) or as_identifier(line.get("logicalParentUuid"))


def _is_same_answer(first: _Line, line: _Line) -> bool:
    one, other = as_text(first.get("requestId")), as_text(line.get("requestId"))
    is_same_place = (first.get("isSidechain") is True) == (line.get("isSidechain") is True)
    return is_same_place and (one == other or one is None or other is None)


def _continue(draft: Draft, blocks: list[Any]) -> None:
    """Adds the blocks of an answer's next line: they go on from those before, or repeat these and what came since."""
    if len(blocks) >= len(draft.blocks) and all(map(_grows, draft.blocks, blocks)):
        draft.superseded += [old for old, new in zip(draft.blocks, blocks, strict=False) if old != new]
        draft.blocks = blocks
    else:
        draft.blocks.extend(blocks)


def _grows(old: object, new: object) -> bool:
    """Tells whether a block is another one with more text."""
    if old == new:
        return True
    before, after = Fields(old), Fields(new)
    kind = before.take("type")
    if kind not in ("text", "thinking") or kind != after.take("type"):
        return False
    text, longer = before.take_text(kind), after.take_text(kind)
    return text is not None and longer is not None and longer.startswith(text)


def _queued(line: _Line) -> list[Any] | None:
    """Returns a prompt that was typed while the model was at work."""
    attachment = as_object(line.get("attachment"))
    if attachment.get("type") != "queued_command":
        return None
    return blocks_of({"content": attachment.get("prompt")}) or None


def _mode_of(line: _Line) -> str | None:
    mode = as_text(as_object(line.get("attachment")).get("commandMode"))
    return None if mode in (None, "prompt") else mode


def _context_of(line: _Line) -> str | None:
    """Returns what a line by the user is if it says itself that it is the tool's."""
    about = {**as_object(line.get("attachment")), **line}
    flag = next((name for name in _META if about.get(name) is True), None)
    origin = as_text(as_object(about.get("origin")).get("kind"))
    if flag is not None or origin in _NO_HUMAN:
        return flag or origin
    return "promptSource" if about.get("promptSource") == "system" else None


def _context_in(blocks: list[Any]) -> str | None:
    """Returns what the texts among blocks are if nothing of them is the user's; None also if there is other content."""
    found: str | None = None
    for block in blocks:
        text = text_of(block)
        pieces = segments(text) if text is not None else []
        if text is None or typed_command(pieces) is not None or any(piece.tag is None for piece in pieces):
            return None
        found = found or next((piece.tag for piece in pieces), None)
    return found
