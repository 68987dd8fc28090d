"""One session of Copilot CLI to a dialogue record.

Every event names the one before it. Events of subagents stand between those of the session: they are read as dialogues
of their own, too. So are further sessions in a file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.copilot_cli.messages import MessageReader
from archive_pipeline.readers.copilot_cli.recognition import START, is_start
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text
from archive_pipeline.readers.json_lines import FILE, LINES, is_unreadable, without_lines
from archive_pipeline.readers.left_out_lines import is_left_out
from archive_pipeline.readers.session_entries import Entries, header_of, times_of
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "copilot_cli"
# Of the lines of a subagent: its id, and that of the session.
_SUBAGENT: Final = "subagent_of"
_PARENT: Final = "parentId"
_TITLE: Final = "session.title_changed"
_CONTEXTS: Final = (START, "session.resume", "session.context_changed")


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session's lines, or why it is none."""
    lines = value.get(LINES)
    if not isinstance(lines, list):
        return without_lines(locator)
    lines = _sessions(lines)[0]
    warnings: Counter[str] = Counter()
    start = as_object(header_of(lines, START).get("data"))
    subagent = as_object(value.get(_SUBAGENT))
    entries = Entries(warnings, is_path=True)
    messages = _messages(lines, entries, is_subagents=bool(subagent))
    first, last = times_of(lines)
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(subagent.get("id")) or as_identifier(start.get("sessionId")),
        locator=locator,
        title=_title(lines),
        created_at=read_timestamp(start.get("startTime"), warnings) or first,
        updated_at=last,
        messages=messages,
        message_less_nodes=entries.nodes,
        active_source_id=entries.last,
        project_id=_folder(lines),
        parent_source_id=as_identifier(subagent.get("parent")),
        warnings=+warnings,
        source_json={**{name: item for name, item in value.items() if name != LINES}, LINES: entries.kept},
    )


def _messages(lines: list[Any], entries: Entries, *, is_subagents: bool) -> tuple[MessageRecord, ...]:
    reader = MessageReader(entries.warnings)
    messages: list[MessageRecord] = []
    for number, line in enumerate(lines, 1):
        if is_unreadable(line):
            entries.keep(number, line)
            continue
        entry = entries.add(line, as_identifier(line.get("id")) or f"line-{number}")
        if entry is None:
            continue
        is_others = not is_subagents and agent_of(line) is not None
        message = None if is_others or is_left_out(line) else reader.read(entry)
        if message is not None:
            messages.append(message)
        else:
            entries.pass_over(number, entry)
    reader.finish()
    return tuple(messages)


def agent_of(line: Mapping[str, Any]) -> str | None:
    """Returns the subagent that an event is of; earlier versions name the call that started it."""
    return as_identifier(line.get("agentId")) or as_identifier(as_object(line.get("data")).get("parentToolCallId"))


def inner_sessions(value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the lines of each subagent, and of each session behind the first, with a place below the file.

    Lines of a subagent follow one another.
    """
    lines = value.get(LINES)
    if _SUBAGENT in value or not isinstance(lines, list):
        return
    for number, session in enumerate(_sessions(lines), 1):
        place = f".sessions.{number}" if number > 1 else ""
        for agent, own in _subagents(session):
            yield f"{place}.agents.{agent}", {FILE: value.get(FILE), **own}
        if number > 1:
            yield place, {FILE: value.get(FILE), LINES: session}


def _sessions(lines: list[Any]) -> list[list[Any]]:
    """Returns the lines of each session: where files were joined, a start names another than the one before."""
    starts = [number for number, line in enumerate(lines) if is_start(line)]
    cuts = [here for before, here in pairwise(starts) if _session(lines[before]) != _session(lines[here])]
    return [lines[first:end] for first, end in pairwise([0, *cuts, len(lines)])]


def _session(start: Mapping[str, Any]) -> str | None:
    return as_identifier(as_object(start.get("data")).get("sessionId"))


def _subagents(lines: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    session = _session(header_of(lines, START))
    by_agent: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        agent = agent_of(line) if isinstance(line, dict) else None
        if agent is not None:
            by_agent[agent].append({name: item for name, item in line.items() if name != _PARENT})
    for agent, own in by_agent.items():
        yield agent, {LINES: own, _SUBAGENT: {"id": f"{session or ''}-agent-{agent}", "parent": session}}


def _title(lines: list[Any]) -> str | None:
    events = (line for line in reversed(lines) if isinstance(line, dict) and line.get("type") == _TITLE)
    return next((title for line in events if (title := as_text(as_object(line.get("data")).get("title")))), None)


def _folder(lines: list[Any]) -> str | None:
    """Returns the working folder that a session began in."""
    data = (as_object(line.get("data")) for line in lines if isinstance(line, dict) and line.get("type") in _CONTEXTS)
    folders = (as_text(as_object(item.get("context")).get("cwd")) or as_text(item.get("cwd")) for item in data)
    return next(filter(None, folders), None)
