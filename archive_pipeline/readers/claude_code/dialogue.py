"""A session of Claude Code: the lines of one file to a dialogue record.

What is said in all lines alike stands once in the dialogue's ``source_json``; lines that are no message are kept there
too. The session of a subagent is a dialogue of its own, named by the session that started it and by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from archive_pipeline.domain.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    PartRecord,
    PartType,
    RejectedRecord,
)
from archive_pipeline.readers.claude_code.content import ContentReader
from archive_pipeline.readers.claude_code.drafts import SYNTHETIC, Draft, Gathered, Gathering
from archive_pipeline.readers.claude_code.injected import INTERRUPTION
from archive_pipeline.readers.claude_code.sessions import parent_of, session_id, times_of, title_of
from archive_pipeline.readers.claude_code.sources import common_of, file_of, is_file, source_of, whole_line
from archive_pipeline.readers.claude_code.threads import Threads
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text
from archive_pipeline.readers.json_lines import FILE, LINES, without_lines
from archive_pipeline.readers.left_out_lines import is_left_out, left_out_part
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "claude_code"


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's lines, or why it is none."""
    lines = value.get(LINES)
    if not isinstance(lines, list):
        return without_lines(locator)
    warnings: Counter[str] = Counter()
    found = Gathering(warnings).gather(lines)
    common = common_of(lines)
    is_subagent = _without_own_side(found.drafts)
    is_linear = len(found.drafts) > 1 and not any(draft.pointer for draft in found.drafts)
    warnings["no_parent_pointers"] += is_linear
    threads = Threads(found, warnings)
    parents = [None] * len(found.drafts) if is_linear else threads.parents()
    events = _without_files(found, threads)
    own_id = session_id(value.get(FILE), common, is_subagent=is_subagent)
    created_at, updated_at = times_of(lines, as_text(common.get("sessionId")) if is_subagent else own_id)
    content = ContentReader(warnings)
    interrupted = _interrupted(found.drafts, parents)
    beside = {name: item for name, item in value.items() if name not in (FILE, LINES)}
    return DialogueRecord(
        source=SOURCE,
        source_id=own_id,
        locator=locator,
        title=title_of(found),
        created_at=created_at,
        updated_at=updated_at,
        messages=tuple(
            _message(draft, parent, common, content, warnings, is_interrupted=draft.id in interrupted)
            for draft, parent in zip(found.drafts, parents, strict=True)
        ),
        active_source_id=None if is_linear else threads.latest,
        is_linear_source=is_linear,
        project_id=as_text(common.get("cwd")),
        parent_source_id=parent_of(common) if is_subagent else None,
        warnings=+warnings,
        source_json={
            FILE: value.get(FILE),
            "common": common,
            LINES: events,
            **({"beside": beside} if beside else {}),
        },
    )


def _without_own_side(drafts: Sequence[Draft]) -> bool:
    """Tells whether a file is a subagent's own: in it nothing is aside. In others, its task is no user's prompt."""
    is_subagent = bool(drafts) and all(draft.is_side for draft in drafts)
    for draft in drafts:
        draft.is_side = draft.is_side and not is_subagent
        if draft.is_side and draft.role == "user":
            draft.role = "system"
    return is_subagent


def _without_files(found: Gathered, threads: Threads) -> list[Any]:
    """Gives files to the messages of the user that they came with; returns the other lines that are no message."""
    drafts = {draft.id: draft for draft in found.drafts}
    events: list[Any] = []
    for line in found.events:
        name = as_identifier(line.get("uuid")) if is_file(line) else None
        draft = drafts.get(threads.way(name) or "") if name is not None and name in found.passed else None
        if draft is not None and draft.role == "user":
            draft.files.append(line)
        else:
            events.append(line)
    return events


def _interrupted(drafts: Sequence[Draft], parents: Sequence[str | None]) -> set[str]:
    """Returns the ids of the messages behind which the tool says that the user interrupted them."""
    named = zip(drafts, parents, strict=True)
    return {parent for draft, parent in named if draft.context == INTERRUPTION and parent is not None}


def _message(
    draft: Draft,
    parent: str | None,
    common: Mapping[str, Any],
    content: ContentReader,
    warnings: Counter[str],
    *,
    is_interrupted: bool,
) -> MessageRecord:
    whole = whole_line(draft)
    model = as_text(as_object(whole.get("message")).get("model")) if draft.role == "assistant" else None
    model = None if model == SYNTHETIC else model
    is_error = whole.get("isApiErrorMessage") is True
    moments = [read_timestamp(line.get("timestamp"), warnings) for line in draft.lines]
    return MessageRecord(
        source_id=draft.id,
        parent_source_id=parent,
        role=draft.role,
        parts=_parts(draft, content, is_error=is_error),
        attachments=_files(draft, common),
        created_at=moments[0] if moments else None,
        updated_at=moments[-1] if len(moments) > 1 else None,
        model=model,
        state="error" if is_error else "aborted" if is_interrupted and draft.role == "assistant" else "complete",
        is_hidden=draft.context is not None or draft.is_side,
        source=source_of(draft, common, model),
    )


def _parts(draft: Draft, content: ContentReader, *, is_error: bool) -> tuple[PartRecord, ...]:
    if draft.context is not None:
        return content.parts(draft.blocks, PartType.CONTEXT, draft.context)
    if any(map(is_left_out, draft.lines)):
        return (left_out_part(),)
    if draft.role == "user":
        return content.said_by_user(draft.blocks)
    if is_error:
        return content.parts(draft.blocks, PartType.ERROR, "api_error")
    beside = draft.role == "tool"
    return content.parts(draft.blocks, PartType.CONTEXT if beside else PartType.TEXT)


def _files(draft: Draft, common: Mapping[str, Any]) -> tuple[AttachmentRecord, ...]:
    return tuple(file_of(line, common) for line in draft.files)
