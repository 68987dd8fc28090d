"""Sessions of Crush as its database has them, with every part, each text and id a mark."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from random import Random
from typing import Any, Final
from uuid import UUID

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = 1_790_793_195
ROLES: Final = ("user", "user", "assistant", "assistant", "tool", "system", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the rows of a session with up to six messages."""
    messages = [
        message(random, marks, random.choice(ROLES), [part(random, marks) for _ in range(random.randint(0, 3))])
        for _ in range(random.randint(0, 6))
    ]
    return in_database(random, marks, messages)


def in_database(random: Random, marks: Marks, messages: list[Any]) -> dict[str, Any]:
    """Return the rows of a session with its files."""
    own = random.choice((_uuid(random), f"{_uuid(random)}$${marks.text()}", marks.text()))
    summary = random.choice([None, *(row["id"] for row in messages)])
    session = {
        "id": own,
        "parent_session_id": random.choice((None, _uuid(random))),
        "title": random.choice((marks.text(), "New Session")),
        "message_count": len(messages),
        "prompt_tokens": marks.number(),
        "completion_tokens": marks.number(),
        "cost": 0.25,
        "updated_at": _TIME + 9,
        "created_at": _TIME,
        "summary_message_id": summary,
        "todos": random.choice((None, [{"content": marks.text(), "status": "pending", "active_form": marks.text()}])),
    }
    about = {"session_id": own, "path": marks.text()}
    file = {"id": marks.text(), **about, "content": marks.text(), "version": 0, "created_at": _TIME, "updated_at": 1}
    rows = [{**row, "session_id": own} for row in messages]
    tables = {"files": [file], "messages": rows, "read_files": [{**about, "read_at": _TIME}], "sessions": [session]}
    return {"database": "crush", "conversation_id": own, "tables": tables}


def message(random: Random, marks: Marks, role: str, parts: Any) -> dict[str, Any]:
    """Return the row of a message."""
    router = {"prism_model_id": marks.text(), "prism_model_name": marks.text(), "prism_dollar_savings": marks.number()}
    return {
        "id": random.choice((_uuid(random), marks.text())),
        "session_id": marks.text(),
        "role": role,
        "parts": parts,
        "model": random.choice(("", None, marks.text())),
        "created_at": _TIME + random.randint(0, 3),
        "updated_at": _TIME + 4,
        "finished_at": random.choice((None, _TIME + 4)),
        "provider": random.choice((None, marks.text())),
        "is_summary_message": random.choice((0, 0, 0, 1)),
        **random.choice(({}, router)),
    }


def part(random: Random, marks: Marks) -> Any:
    """Return a part of any type."""
    return random.choice(PARTS)(random, marks)


def _uuid(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128)))


def _of(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    given = random.choice((json.dumps({"command": marks.text()}), "", marks.text()))
    call = random.choice(("call", marks.text()))
    return _of("tool_call", id=call, name=marks.text(), input=given, provider_executed=False, finished=True)


def _result(random: Random, marks: Marks) -> dict[str, Any]:
    content = base64.b64encode(marks.text().encode()).decode()
    medium = random.choice(({"data": "", "mime_type": ""}, {"data": content, "mime_type": f"image/{marks.text()}"}))
    metadata = json.dumps({"working_directory": f"/{marks.text()}", "output": marks.text()})
    return _of(
        "tool_result",
        tool_call_id=random.choice(("call", marks.text())),
        name=random.choice(("", marks.text())),
        content=marks.text(),
        **medium,
        metadata=random.choice(("", metadata, marks.text())),
        is_error=random.random() < 0.5,
    )


def _binary(random: Random, marks: Marks) -> dict[str, Any]:
    content = base64.b64encode(marks.text().encode()).decode()
    mime = random.choice(("text/plain", "image/png", marks.text()))
    return _of("binary", Path=f"/{marks.text()}/{marks.text()}", MIMEType=mime, Data=random.choice((content, None)))


def _finish(random: Random, marks: Marks) -> dict[str, Any]:
    reason = random.choice(("stop", "end_turn", "error", "canceled", "content_filter", marks.text()))
    said = random.choice(({}, {"message": marks.text(), "details": marks.text()}))
    return _of("finish", reason=reason, time=_TIME, **said)


PARTS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: _of("text", text=marks.text()),
    lambda random, marks: _of("text", text=marks.text(), hidden=random.random() < 0.5),
    lambda _random, marks: _of(
        "text",
        text="The previous session was interrupted because it got too long, the initial user request was: "
        f"`{marks.text()}`",
    ),
    lambda _random, marks: _of(
        "reasoning",
        thinking=marks.text(),
        signature=marks.text(),
        thought_signature=marks.text(),
        tool_id="",
        responses_data={"item_id": marks.text(), "encrypted_content": marks.text()},
        started_at=marks.number(),
        finished_at=marks.number(),
    ),
    lambda _random, marks: _of("image_url", url=f"https://x/{marks.text()}", detail=marks.text()),
    _binary,
    _call,
    _result,
    _finish,
    lambda _random, marks: _of("shell_command", command=marks.text(), output=marks.text(), exit_code=marks.number()),
    lambda _random, marks: _of("hologram", text=marks.text()),
    lambda _random, marks: marks.text(),
)
