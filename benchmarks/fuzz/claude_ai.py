"""Claude.ai conversations of every block type and sender, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

SENDERS: Final = ("human", "assistant", "assistant", "system", "tool", "robot")
_ROOT: Final = "00000000-0000-4000-8000-000000000000"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a conversation of up to five messages, with parent pointers or without."""
    has_parents = random.random() < 0.5
    messages: list[dict[str, Any]] = []
    for _ in range(random.randint(0, 5)):
        entry = message(random, marks)
        if has_parents:
            entry["parent_message_uuid"] = random.choice(messages)["uuid"] if messages else _ROOT
        messages.append(entry)
    return {
        "uuid": marks.text(),
        "name": marks.text(),
        "summary": marks.text(),
        "created_at": "2024-05-01T00:00:00Z",
        "updated_at": "2024-05-01T00:00:00Z",
        "account": {"uuid": marks.text()},
        "model": marks.text(),
        "current_leaf_message_uuid": messages[-1]["uuid"] if messages else None,
        "chat_messages": messages,
    }


def message(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a message with blocks of any type, and files."""
    return {
        "uuid": marks.text(),
        "sender": random.choice(SENDERS),
        "text": random.choice(("", marks.text())),
        "content": [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(0, 3))],
        "created_at": marks.number(),
        "stop_reason": random.choice((None, "user_canceled", marks.text())),
        **_files(random, marks),
    }


def _files(random: Random, marks: Marks) -> dict[str, Any]:
    pasted = {
        "file_name": random.choice(("", marks.text())),
        "file_size": marks.number(),
        "file_type": random.choice(("txt", "text/plain")),
        "extracted_content": marks.text(),
    }
    name = random.choice((pasted["file_name"], "")) or marks.text()  # that of an uploaded text is in both lists
    uploaded = {"file_uuid": marks.text(), "file_name": name, "preview_url": marks.text()}
    again = {**uploaded, "thumbnail_asset": {"url": marks.text()}}
    return {
        "attachments": [pasted] if random.random() < 0.3 else [],
        "files": [uploaded] if random.random() < 0.3 else [],
        "files_v2": [again] if random.random() < 0.2 else [],
    }


def _text(_random: Random, marks: Marks) -> dict[str, Any]:
    details = {"type": "web_search_citation", "url": marks.text()}
    citations = [{"url": marks.text(), "start_index": marks.number()}, {"title": marks.text(), "details": details}]
    return {"type": "text", "text": marks.text(), "citations": citations}


def _plain_text(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "text", "text": marks.text()}


def _empty_text(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "text", "text": "", "start_timestamp": marks.text()}


def _thinking(random: Random, marks: Marks) -> dict[str, Any]:
    name = random.choice(("thinking", "redacted_thinking"))
    return {"type": name, "thinking": marks.text(), "summaries": [{"summary": marks.text()}], "cut_off": False}


def _tool_use(random: Random, marks: Marks) -> dict[str, Any]:
    call = {"type": "tool_use", "name": marks.text(), "input": {marks.text(): marks.number()}, "message": marks.text()}
    return {**call, "id": marks.text()} if random.random() < 0.5 else call


def _artifact(random: Random, marks: Marks) -> dict[str, Any]:
    arguments = {
        "id": random.choice(("one", "two")),
        "command": random.choice(("create", "update", "rewrite", marks.text())),
        "title": marks.text(),
        "type": marks.text(),
        "language": marks.text(),
        "content": marks.text(),
        "old_str": random.choice(("m", marks.text())),
        "new_str": marks.text(),
        "version_uuid": marks.text(),
    }
    return {"type": "tool_use", "id": None, "name": "artifacts", "input": arguments}


def _tool_result(random: Random, marks: Marks) -> dict[str, Any]:
    contents: tuple[Any, ...] = (
        marks.text(),
        [{"type": "text", "text": marks.text()}, marks.text()],
        [{"type": "knowledge", "title": marks.text(), "url": marks.text(), "metadata": {"site": marks.text()}}],
        {"type": "text", "text": marks.text(), "uuid": marks.text()},
        None,
    )
    content = random.choice(contents)
    result = {"type": "tool_result", "name": marks.text(), "content": content, "is_error": random.random() < 0.5}
    return {**result, "tool_use_id": marks.text()} if random.random() < 0.5 else result


def _image(_random: Random, marks: Marks) -> dict[str, Any]:
    source = {"type": "url", "url": marks.text(), "media_type": marks.text(), "data": marks.text()}
    return {"type": "image", "source": source, "file_uuid": marks.text()}


def _other(random: Random, marks: Marks) -> dict[str, Any]:
    blocks = (
        {"type": "voice_note", "title": marks.text(), "text": marks.text()},
        {"type": "token_budget", "remaining": marks.number()},
        {"type": "flag", "flags": [marks.text()]},
    )
    return random.choice(blocks)


BLOCKS: Final[tuple[Callable[[Random, Marks], Any], ...]] = (
    _text,
    _plain_text,
    _empty_text,
    _thinking,
    _tool_use,
    _artifact,
    _tool_result,
    _image,
    _other,
    lambda _random, marks: marks.text(),
)
