"""Dialogues as Markdown that people read: front matter, who said what, and the branches below the main path.

Obsidian shows the front matter as properties, thinking as a folded callout, and follows the links from a branch to the
message that it leaves. Texts are as they are in the archive, but for controls that would command a terminal, and for
HTML and images that a reader would run or load; code that one leaves open is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import orjson

from archive_pipeline.domain.batch import ROOT
from archive_pipeline.export.attached import NoteFiles
from archive_pipeline.export.branches import Branch, branches
from archive_pipeline.export.inert_markdown import inert
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.retrieval.reading.messages import COMPLETE, TEXT, Attachment, Message, Part
from archive_pipeline.retrieval.reading.placed_files import place_files
from archive_pipeline.text.dialogue_names import title_or_prompt
from archive_pipeline.text.markdown import close_code
from archive_pipeline.text.shown_names import TURNING_MARKS, is_visible, on_one_line, without_controls

_BACKTICKS: Final = re.compile(r"`{3,}")
_CALLOUTS: Final = {"thinking": "Thinking", "context": "Context"}
_TOOLS: Final = {"tool_use": "Calls", "tool_result": "Result of"}
# What the file systems of the three systems, and links of Obsidian, have another meaning for.
_NOT_IN_NAMES: Final = re.compile(rf'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f-\x9f{TURNING_MARKS}]+')
_ESCAPED_IN_YAML: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_TITLE_BYTES: Final = 120
_TO_MINUTES: Final = len("2024-05-31 18:30")


def file_name(dialogue: Dialogue) -> str:
    """Return ``<source>/<day> <title> <beginning of the id>.md``; no two dialogues of an archive share one."""
    heading = dialogue.heading
    day = "undated" if heading.created_at is None else f"{heading.created_at:%Y-%m-%d}"
    name = title_or_prompt(heading.title, heading.first_prompt) or ""
    title = " ".join(_NOT_IN_NAMES.sub(" ", name).split())
    title = title.encode()[:_TITLE_BYTES].decode(errors="ignore").strip(" .")
    source = _NOT_IN_NAMES.sub("-", heading.source)
    return f"{source}/{day} {title if is_visible(title) else 'untitled'} {heading.dialogue_id}.md"


def dialogue_markdown(dialogue: Dialogue, tags: Sequence[str], files: NoteFiles) -> str:
    """Return the whole dialogue: front matter, the main path, then what each other branch has of its own.

    Args:
        dialogue: the dialogue.
        tags: of the dialogue, for its front matter.
        files: that its messages came with.
    """
    known = branches(dialogue)
    blocks = [_title(dialogue)]
    written: set[int] = set()
    for branch in known:
        own = dialogue.path(branch.leaf, written)
        # Where nothing that a branch has of its own is shown, there is nothing to head.
        if branch is not known[0] and any(dialogue.message(position).is_shown for position in own):
            blocks.append(_branch_heading(dialogue, branch, own))
        _add_messages(blocks, dialogue, own, files)
        written.update(own)
    return _note(_front_matter(dialogue, len(known), tags), blocks)


def thread_markdown(dialogue: Dialogue, leaf: int, files: NoteFiles) -> str:
    """Return the path to one message, with the front matter of its dialogue."""
    blocks = [_title(dialogue)]
    _add_messages(blocks, dialogue, dialogue.path(leaf), files)
    return _note(_front_matter(dialogue, len(branches(dialogue)), ()), blocks)


def _note(front_matter: str, blocks: Sequence[str]) -> str:
    # As a whole: what one message leaves open or defines, readers take for that of all.
    body = inert("\n\n".join(blocks))
    return f"{front_matter}\n\n{body}\n"


def _title(dialogue: Dialogue) -> str:
    heading = dialogue.heading
    return f"# {on_one_line(title_or_prompt(heading.title, heading.first_prompt) or 'Untitled')}"


def _front_matter(dialogue: Dialogue, branch_count: int, tags: Sequence[str]) -> str:
    heading = dialogue.heading
    models = sorted({message.model for message in dialogue.messages if message.model})
    values: dict[str, Any] = {
        "title": heading.title,
        "source": heading.source,
        "key": heading.partition_key,
        "created": _moment(heading.created_at),
        "updated": _moment(heading.updated_at),
        "models": models,
        "messages": dialogue.shown_count,
        "branches": branch_count,
        "tags": [re.sub(r"\s+", "-", tag) for tag in tags],
    }
    lines = [f"{name}: {_yaml(value)}" for name, value in values.items() if value not in (None, [])]
    return "\n".join(["---", *lines, "---"])


def _yaml(value: Any) -> str:
    """Return a value as JSON, which is the same in YAML but for characters that YAML has as escapes only."""
    return _ESCAPED_IN_YAML.sub(lambda found: f"\\u{ord(found.group()):04x}", orjson.dumps(value).decode())


def _branch_heading(dialogue: Dialogue, branch: Branch, own: Sequence[int]) -> str:
    if not own or branch.branched_at == ROOT:
        return f"# Branch {branch.name}"
    parent = dialogue.message(dialogue.batch.parent[own[0]])
    return f"# Branch {branch.name}\n\nAfter [[#^{_anchor(parent)}|message {parent.sequence_number}]]."


def _add_messages(blocks: list[str], dialogue: Dialogue, positions: Iterable[int], files: NoteFiles) -> None:
    for position in positions:
        message = dialogue.message(position)
        if message.is_shown:
            _add_message(blocks, message, files)


def _add_message(blocks: list[str], message: Message, files: NoteFiles) -> None:
    # The blocks of all messages are joined at once: a text is copied a single time.
    blocks.append(_message_heading(message))
    placed = place_files(message, files.of_messages.get(message.id, ()))
    blocks += filter(None, (_part(part) if file is None else files.line(file) for part, file in placed.parts))
    for attachment, file in placed.attachments:
        if file is not None:
            blocks.append(files.line(file))
        if attachment is not None:
            blocks += _attachment(attachment, is_named=file is not None)
    blocks.append(f"^{_anchor(message)}")


def _message_heading(message: Message) -> str:
    told = _speaker(message.role, message.model if message.role == "assistant" else message.author)
    if message.created_at is not None:
        # The first characters of ISO 8601 are made at ten times the rate of a format.
        told = f"{told} · {message.created_at.isoformat(' ', 'minutes')[:_TO_MINUTES]}"
    return told if message.state == COMPLETE else f"{told} · {message.state.replace('_', ' ')}"


@lru_cache(maxsize=1_000)
def _speaker(role: str, said_by: str | None) -> str:
    """Return the beginning of a heading, which most messages share with others."""
    return f"## {' · '.join(filter(None, (role.capitalize(), on_one_line(said_by or ''))))}"


def _anchor(message: Message) -> str:
    return f"m{message.sequence_number}"


def _part(part: Part) -> str:
    text = without_controls(part.text or "")
    if part.kind == TEXT:
        return close_code(text)
    if part.kind in _CALLOUTS:
        return _callout(_CALLOUTS[part.kind], text)
    if part.kind in _TOOLS:
        failed = ", an error" if part.is_error else ""
        block = _fenced(without_controls(part.arguments or ""), part.language or "")
        return f"**{_TOOLS[part.kind]} {_code(part.tool_name)}{failed}**\n\n{block}"
    if text:
        return _fenced(text, part.language or "")
    return f"*[{on_one_line(part.kind)}{': ' + on_one_line(part.uri) if part.uri else ''}]*"


def _attachment(attachment: Attachment, *, is_named: bool) -> Iterator[str]:
    if not is_named:
        yield _attachment_line(attachment)
    if attachment.text:
        yield _fenced(without_controls(attachment.text))


def _attachment_line(attachment: Attachment) -> str:
    told = [attachment.mime_type, None if attachment.size_bytes is None else f"{attachment.size_bytes:,} bytes"]
    details = ", ".join(on_one_line(part) for part in told if part)
    return f"*[attachment: {on_one_line(attachment.shown_name)}{f' ({details})' if details else ''}]*"


def _callout(title: str, text: str) -> str:
    quoted = "\n".join(f"> {line}".rstrip() for line in text.splitlines())
    return f"> [!note]- {title}\n{quoted}" if quoted else ""


def _fenced(text: str, language: str = "") -> str:
    fence = max([*_BACKTICKS.findall(text), "``"], key=len) + "`"
    return f"{fence}{on_one_line(language)}\n{text}\n{fence}"


def _code(name: str | None) -> str:
    return f"`{on_one_line(name or 'tool').replace('`', chr(39))}`"


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
