"""``traces`` and ``atif``: sessions of agents, a file per path.

``traces`` is the Session Trace Simple Format of Hugging Face's trace viewer: JSONL, a header, then a message a line.
``atif`` is the Agent Trajectory Interchange Format 1.6 of Harbor: JSON with steps, results of calls as observations,
and ``is_copied_context`` on the steps that another path of the dialogue has too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import orjson

from archive_pipeline.export.call_arguments import parse_arguments
from archive_pipeline.export.formats.base import CHAT, Format, Path, Run, are_copies, chat_paths
from archive_pipeline.export.output import json_line
from archive_pipeline.export.selection import Group
from archive_pipeline.export.turns import Turn
from archive_pipeline.retrieval.reading.dialogues import Dialogue
from archive_pipeline.text.dialogue_names import has_title

ATIF_VERSION: Final = "ATIF-v1.6"
_SOURCES: Final = {"assistant": "agent", "user": "user", "system": "system"}
_MILLISECONDS: Final = 1_000


def _session_id(dialogue: Dialogue, path: Path) -> str:
    """Return an id that no other path has: the dialogue's and that of the last message."""
    return f"{dialogue.heading.dialogue_id}.{dialogue.batch.message_ids[path.leaf]}"


def _traces(dialogue: Dialogue, group: Group, run: Run) -> Iterator[tuple[str, bytes]]:
    for path in chat_paths(dialogue, run, is_training=False):
        if not are_copies(dialogue, path.turns, group, run):
            session = _session_id(dialogue, path)
            header = {"type": "session", "harness": dialogue.heading.source, "id": session}
            if has_title(dialogue.heading.title):
                header["name"] = dialogue.heading.title
            messages = [message for turn in path.turns for message in _trace_messages(turn, run)]
            lines: list[dict[str, Any]] = [header, *({"type": "message", "message": message} for message in messages)]
            yield f"{session}.jsonl", b"".join(map(json_line, lines))


def _trace_messages(turn: Turn, run: Run) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {"role": turn.role, "content": turn.content}
    if run.choices.thinking and turn.thinking:
        message["reasoningContent"] = turn.thinking
    if turn.calls:
        message["toolCalls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}} for call in turn.calls
        ]
    if turn.created_at is not None:
        message["timestamp"] = round(turn.created_at.timestamp() * _MILLISECONDS)
    if turn.model and turn.role == "assistant":
        message["model"] = turn.model
    yield message
    for result in turn.results:
        yield {"role": "tool", "toolCallId": result.call_id, "content": result.content}


def _atif(dialogue: Dialogue, group: Group, run: Run) -> Iterator[tuple[str, bytes]]:
    for path in chat_paths(dialogue, run, is_training=False):
        if are_copies(dialogue, path.turns, group, run):
            continue
        session = _session_id(dialogue, path)
        models = [turn.model for turn in path.turns if turn.role == "assistant" and turn.model]
        agent = {"name": dialogue.heading.source, "version": "unknown"}
        trajectory: dict[str, Any] = {
            "schema_version": ATIF_VERSION,
            "session_id": session,
            "agent": {**agent, "model_name": models[-1]} if models else agent,
            "steps": [_step(number, turn, path, run) for number, turn in enumerate(path.turns, start=1)],
            "final_metrics": {"total_steps": len(path.turns)},
            "extra": {"dialogue": dialogue.heading.partition_key, "title": dialogue.heading.title},
        }
        yield f"{session}.json", orjson.dumps(trajectory, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _step(number: int, turn: Turn, path: Path, run: Run) -> dict[str, Any]:
    step: dict[str, Any] = {"step_id": number, "source": _SOURCES[turn.role], "message": turn.content}
    if turn.created_at is not None:
        step["timestamp"] = turn.created_at
    if turn.role == "assistant" and turn.model:
        step["model_name"] = turn.model
    if turn.role == "assistant" and run.choices.thinking and turn.thinking:
        step["reasoning_content"] = turn.thinking
    if turn.calls:
        step["tool_calls"] = [
            {"tool_call_id": call.id, "function_name": call.name, "arguments": parse_arguments(call.arguments)}
            for call in turn.calls
        ]
        step["observation"] = {
            "results": [{"source_call_id": result.call_id, "content": result.content} for result in turn.results]
        }
    if not path.is_new(turn):
        step["is_copied_context"] = True
    return step


TRACES: Final = Format(
    "traces",
    "Session traces for the viewer of Hugging Face (STS), a JSONL file per path, redacted by default",
    "files",
    CHAT,
    files=_traces,
    data="*.jsonl",
    is_redacted=True,
    tags=("agent-traces", "format:agent-traces"),
)
ATIF: Final = Format(
    "atif",
    "Agent trajectories (ATIF 1.6), a JSON file per path, steps that other paths have marked",
    "files",
    CHAT,
    files=_atif,
    data="*.*.json",
)
