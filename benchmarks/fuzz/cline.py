"""Tasks of Cline and its forks and sessions of Cline, with every block and tag, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = 1_769_053_680_585
_PIXEL: Final = "iVBORw0KGgo="
_DENIED: Final = "The user denied this operation and provided the following feedback:"
ROLES: Final = ("user", "assistant", "user", "assistant", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a task or a session with up to six messages."""
    messages = [item(random, marks, random.choice(ROLES)) for _ in range(random.randint(0, 6))]
    if random.random() < 0.5:
        folder = random.choice((str(_TIME), marks.text()))
        return {"file": "api_conversation_history.json", "folder": folder, "messages": messages}
    return {
        "version": 1,
        "updated_at": "2026-04-22T17:42:10.123Z",
        "agent": random.choice(("lead", "subagent", "teammate")),
        "sessionId": random.choice((f"{_TIME}_abcde", marks.text())),
        "taskType": marks.text(),
        **random.choice(
            (
                {"origin": {"source": marks.text(), "parentThreadId": marks.text(), "subagent": marks.text()}},
                {"file": f"{marks.text()}.messages.json"},
            )
        ),
        "messages": messages,
        "system_prompt": marks.text(),
    }


def item(random: Random, marks: Marks, role: str) -> dict[str, Any]:
    """Return a message of a role, or what Roo Code puts between messages."""
    blocks = [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(0, 3))]
    made = message(random, marks, role, blocks)
    return {**made, **random.choice(({}, {}, {}, _instead(random, marks), _reasoning(marks)))}


def message(random: Random, marks: Marks, role: str, blocks: list[Any]) -> dict[str, Any]:
    """Return a message with these blocks, or with a text in their place."""
    about = {
        "modelInfo": random.choice(
            (
                {"modelId": marks.text(), "providerId": marks.text(), "mode": "act"},
                {"id": marks.text(), "provider": marks.text(), "family": marks.text()},
            )
        ),
        "metrics": {"tokens": {"prompt": marks.number()}, "inputTokens": marks.number(), "cost": marks.number()},
        "reasoning_content": marks.text(),
        "reasoning_details": [{"type": "reasoning.text", "text": marks.text()}],
    }
    return {
        **random.choice(({}, {"id": marks.text()}, {"id": "twice"})),
        "role": role,
        "content": blocks or _no_blocks(random, marks),
        **random.choice(({}, {"ts": _TIME}, {"ts": marks.number()})),
        **(about if role == "assistant" else {}),
        **random.choice(({}, {"metadata": {"kind": random.choice(("recovery_notice", marks.text()))}})),
        **random.choice(({}, {"condenseParent": marks.text(), "truncationParent": marks.text()})),
    }


def _no_blocks(random: Random, marks: Marks) -> Any:
    choices: tuple[Any, ...] = (marks.text(), "", [])
    return random.choice(choices)


def _instead(random: Random, marks: Marks) -> dict[str, Any]:
    return random.choice(
        (
            {"isSummary": True, "condenseId": marks.text()},
            {"isTruncationMarker": True, "truncationId": marks.text()},
        )
    )


def _reasoning(marks: Marks) -> dict[str, Any]:
    return {
        "type": "reasoning",
        "text": marks.text(),
        "summary": [{"type": "summary_text", "text": marks.text()}],
        "encrypted_content": marks.text(),
    }


def call(name: str, marks: Marks) -> dict[str, Any]:
    """Return a call of a tool."""
    return {
        "type": "tool_use",
        "id": name,
        "name": "read_file",
        "input": {"path": marks.text(), "limit": marks.number()},
        "reasoning_details": [marks.text()],
        "call_id": marks.text(),
        "signature": marks.text(),
    }


def _result(random: Random, marks: Marks) -> dict[str, Any]:
    given = {"query": marks.text(), "result": marks.text(), "error": marks.text(), "success": False}
    pieces = [{"type": "text", "text": marks.text()}, _image(random, marks), given]
    asked = f"{_DENIED}\n<feedback>\n{marks.text()}\n</feedback>\n{marks.text()}"
    approved = f'{{"status":"approved","feedback":"{marks.text()}"}}\n\n{marks.text()}'
    return {
        "type": "tool_result",
        "tool_use_id": random.choice(("call", marks.text())),
        "name": marks.text(),
        "content": random.choice((marks.text(), asked, approved, pieces)),
        "is_error": random.random() < 0.5,
    }


def _image(random: Random, marks: Marks) -> dict[str, Any]:
    source = {"type": "base64", "media_type": marks.text(), "data": random.choice((_PIXEL, marks.text()))}
    return random.choice(
        ({"type": "image", "source": source}, {"type": "image", "data": marks.text(), "mediaType": marks.text()})
    )


_FORMS: Final = (
    "<task>\n%\n</task>\n\n%",
    "<environment_details>\n# Current Working Directory (%) Files\n%\n</environment_details>",
    "[read_file for '%'] Result:\n%",
    "[ask_followup_question for '%'] Result:\n<answer>\n%\n</answer>",
    f"[attempt_completion] Result:\n{_DENIED}\n<feedback>\n%\n</feedback>\n%",
    "[list_files for '%'] Result:",
    '<user_input mode="act"><mode_notice>%</mode_notice>\n%</user_input>',
    "<task>\n\n</task>",
    "% <task> %",
    '<explicit_instructions type="a.md">\n%\n</explicit_instructions>\n<task>\n%\n</task>',
    '{"status":"guidance","feedback":"%"}',
    '<user_input mode="act">[TASK RESUMPTION] %</user_input>',
)


def _text_in(form: str) -> Callable[[Marks], dict[str, Any]]:
    def make(marks: Marks) -> dict[str, Any]:
        return {"type": "text", "text": form.replace("%", marks.text(), 1).replace("%", marks.text())}

    return make


# Texts in the user's place, as the program writes them.
TEXTS: Final = tuple(map(_text_in, _FORMS))
BLOCKS: Final[tuple[_Maker, ...]] = (
    lambda random, marks: random.choice(TEXTS)(marks),
    lambda random, marks: random.choice(TEXTS)(marks),
    lambda _random, marks: {"type": "text", "text": marks.text(), "reasoning_details": [], "call_id": marks.text()},
    lambda _random, marks: {"type": "thinking", "thinking": marks.text(), "signature": marks.text(), "summary": []},
    lambda _random, marks: {"type": "redacted_thinking", "data": marks.text()},
    lambda random, marks: call(random.choice(("call", marks.text())), marks),
    _result,
    _image,
    lambda _random, marks: {"type": "file", "path": marks.text(), "content": marks.text()},
    lambda _random, marks: {"type": "hologram", "text": marks.text()},
    lambda _random, marks: marks.text(),
)
