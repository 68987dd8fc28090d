"""``llm-archive match``: where a messages array is in the archive."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import asdict
from typing import IO, Any

import orjson
from rich.padding import Padding
from rich.text import Text
from sqlalchemy.orm import Session

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import note, one_line, print_json, stdout_console
from archive_pipeline.derive.canonical import deterministic_options
from archive_pipeline.domain.request_options import IDENTIFYING
from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.matching import KnownMessage, PathMatch, find_path

_SHOWN_CHARACTERS = 100
_SHOWN_MESSAGES = 10


def run(file: IO[bytes], model: str | None, dialogue: str | None, *, as_json: bool) -> int:
    """Look the messages up; return the exit code."""
    messages, options, requested = _request(file)
    with open_archive() as archive, Session(archive.database.engine) as session, session.begin():
        found = find_path(session, messages, model=model or requested, options=options, conversation_id=dialogue)
    if as_json:
        print_json(asdict(found))
    else:
        _print(found)
        if not found.hit and found.matched == found.length and (counted := _counted(options)):
            note(f"only responses to requests with the same {counted} count: without it in the file, all do")
    return 0 if found.hit else 1


def _request(file: IO[bytes]) -> tuple[list[Any], dict[str, Any] | None, str | None]:
    """Return the messages of a file, the options of its request, and its model."""
    try:
        content = orjson.loads(file.read().removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise InvalidMessagesError(f"{file.name} is not JSON: {error}") from error
    if isinstance(content, list):
        return content, None, None
    if not isinstance(content, dict) or not isinstance(content.get("messages"), list):
        hint = "; give the list in `input` as `messages`" if isinstance(content, dict) and "input" in content else ""
        message = f"{file.name} holds neither a list of messages nor an object with `messages`{hint}"
        raise InvalidMessagesError(message)
    system = content.get("system")
    messages = [*([{"role": "system", "content": system}] if system else []), *content["messages"]]
    options = {name: content[name] for name in IDENTIFYING if name in content}
    requested = content.get("model")
    return messages, options or None, requested if isinstance(requested, str) else None


def _counted(options: dict[str, Any] | None) -> str:
    """Return the names of those options that tell responses apart."""
    counted = deterministic_options(None if options is None else orjson.dumps(options).decode())
    return ", ".join(orjson.loads(counted)) if counted else ""


def _print(found: PathMatch) -> None:
    console = stdout_console()
    known = f"{found.matched} of {found.length} messages are known"
    if found.hit:
        console.print(f"hit ({found.level}): {known}, {len(found.responses)} responses")
    else:
        console.print(f"no hit{f' (level {found.level})' if found.level else ''}: {known}")
    if found.ignored:
        console.print(f"{found.ignored} messages have no content and count for nothing")
    if found.dialogue_id:
        console.print(f"dialogue {found.dialogue_id}")
    console.print(f"context {found.context_hash}\npath    {found.path_hash}")
    _print_messages("Responses", found.responses)
    _print_messages("What follows the last known message", found.alternatives)


def _print_messages(title: str, messages: Sequence[KnownMessage]) -> None:
    if not messages:
        return
    console = stdout_console()
    console.print()
    console.print(Text(title, style="bold"))
    for message in messages[:_SHOWN_MESSAGES]:
        written = f"{message.created_at:%Y-%m-%d %H:%M}" if message.created_at else ""
        told = (message.message_id, message.role, one_line(message.model or ""), written)
        console.print(Text("  ".join(filter(None, told))))
        console.print(Padding(Text(_shown(message)), (0, 0, 0, 4)))
    if len(messages) > _SHOWN_MESSAGES:
        console.print(f"and {len(messages) - _SHOWN_MESSAGES:,} more (--json has all)")


def _shown(message: KnownMessage) -> str:
    calls = [f"calls {call['function']['name']}" for call in message.tool_calls]
    text = " ".join(one_line(message.content or ", ".join(calls)).split())
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
