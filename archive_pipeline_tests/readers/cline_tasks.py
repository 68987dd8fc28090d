"""Tasks and sessions of Cline for tests, and what was read of them."""

from __future__ import annotations

from typing import Any

from archive_pipeline.domain.records import DialogueRecord, PartType
from archive_pipeline.readers.cline import READER
from archive_pipeline.readers.registry import recognise

TASK = "1769053680585"
ENVIRONMENT = (
    "<environment_details>\n# Current Time\n1/22/2026, 3:48 AM\n\n"
    "# Current Working Directory (/work/game) Files\na.cs\n</environment_details>"
)
FEEDBACK = "The user provided the following feedback:"
COMPLETED = (
    "The user has provided feedback on the results. "
    "Consider their input to continue the task, and then attempt completion again."
)
RESUMED = "New instructions for task continuation:"
TEXT, CONTEXT, THINKING = PartType.TEXT, PartType.CONTEXT, PartType.THINKING
USE, RESULT, IMAGE, FILE = PartType.TOOL_USE, PartType.TOOL_RESULT, PartType.IMAGE, PartType.FILE


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(name: str, tool: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def result(name: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content, **more}


def message(role: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": list(blocks), **more}


def task(*messages: Any, folder: str = TASK) -> dict[str, Any]:
    return {"file": "api_conversation_history.json", "folder": folder, "messages": list(messages)}


def session(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"version": 1, "agent": "lead", "sessionId": "s", "messages": list(messages), **more}


def read(value: dict[str, Any]) -> DialogueRecord:
    assert recognise(value).source == "cline"
    record = READER.read(value, "x.json")
    assert isinstance(record, DialogueRecord)
    return record


def said(record: DialogueRecord) -> list[tuple[str, list[tuple[PartType, str | None]]]]:
    return [(m.role, [(part.part_type, part.text) for part in m.parts]) for m in record.messages]
