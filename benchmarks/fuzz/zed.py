"""Threads of Zed as its database has them, as JSON of each version, and text threads, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final
from uuid import UUID

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = "2026-02-03T10:00:00.000000001+00:00"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a thread with up to six messages in one of its forms."""
    return random.choice((in_database, thread, early_thread, text_thread))(random, marks)


def in_database(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the row of a thread."""
    return row_of(random, marks, random.choice((thread, early_thread))(random, marks))


def row_of(random: Random, marks: Marks, data: Any) -> dict[str, Any]:
    """Return the row of a thread that says this."""
    own = marks.text()
    row = {
        "id": own,
        "summary": marks.text(),
        "updated_at": _TIME,
        "data_type": random.choice(("zstd", "json")),
        "data": data,
        "parent_id": random.choice((None, marks.text())),
        "folder_paths": random.choice((None, f"{marks.text()}\n{marks.text()}")),
        "folder_paths_order": random.choice((None, "1,0")),
        "created_at": random.choice((None, _TIME)),
    }
    return {"database": "zed", "conversation_id": own, "tables": {"threads": [row]}}


def thread(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a thread of version 0.3.0."""
    return of_messages(random, marks, [random.choice(MESSAGES)(random, marks) for _ in range(random.randint(0, 6))])


def of_messages(random: Random, marks: Marks, messages: list[Any]) -> dict[str, Any]:
    """Return a thread of version 0.3.0 with these messages."""
    return {
        **_about(random, marks),
        "title": random.choice((marks.text(), "New Thread")),
        "messages": messages,
        "detailed_summary": random.choice((None, marks.text())),
        "request_token_usage": {marks.text(): {"input_tokens": marks.number()}},
        "imported": random.random() < 0.5,
        "subagent_context": random.choice((None, {"parent_thread_id": marks.text(), "depth": marks.number()})),
        "draft_prompt": random.choice((None, [{"type": "text", "text": marks.text()}])),
        "version": "0.3.0",
    }


def early_thread(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a thread of a version up to 0.2.0."""
    return of_early(random, marks, [early_message(random, marks) for _ in range(random.randint(0, 6))])


def of_early(random: Random, marks: Marks, messages: list[Any]) -> dict[str, Any]:
    """Return a thread of a version up to 0.2.0 with these messages."""
    version = random.choice(({}, {"version": "0.1.0"}, {"version": "0.2.0"}))
    return {**_about(random, marks), "summary": marks.text(), "messages": messages, **version}


def _about(random: Random, marks: Marks) -> dict[str, Any]:
    git = {"remote_url": marks.text(), "head_sha": marks.text(), "diff": marks.text()}
    snapshot = {"worktree_snapshots": [{"worktree_path": marks.text(), "git_state": git}], "timestamp": _TIME}
    return {
        "updated_at": _TIME,
        "initial_project_snapshot": random.choice((None, snapshot)),
        "cumulative_token_usage": {"input_tokens": marks.number()},
        "model": random.choice((None, {"provider": marks.text(), "model": marks.text()})),
        "profile": marks.text(),
    }


def prompt(random: Random, marks: Marks, content: list[Any]) -> dict[str, Any]:
    """Return a prompt."""
    own = random.choice((str(UUID(int=random.getrandbits(128))), marks.text()))
    return {"User": {"id": own, "content": content}}


def answer(random: Random, marks: Marks, content: list[Any]) -> dict[str, Any]:
    """Return an answer, with results of some of its calls."""
    calls = [item["ToolUse"]["id"] for item in content if isinstance(item, dict) and "ToolUse" in item]
    named = [*calls, *random.choice(((), (marks.text(),)))]
    results = {call: result(random, marks, random.choice((call, marks.text()))) for call in named}
    details = random.choice((None, [{"type": "reasoning.encrypted", "data": marks.text()}]))
    return {"Agent": {"content": content, "tool_results": results, "reasoning_details": details}}


def result(random: Random, marks: Marks, call: str) -> dict[str, Any]:
    """Return the result of a call, in one of the forms that versions write."""
    text = marks.text()
    items = [
        {"Text": text},
        text,
        {"type": "text", "text": text},
        {"Image": {"source": marks.text(), "size": None}},
        {"source": marks.text(), "size": {"width": marks.number(), "height": 2}},
    ]
    content = random.choice((*items, random.sample(items, 3), None, {"hologram": marks.text()}))
    return {
        "tool_use_id": call,
        "tool_name": marks.text(),
        "is_error": random.random() < 0.5,
        "content": content,
        "output": random.choice((None, text, {"old_text": marks.text(), "new_text": marks.text()})),
    }


def early_message(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a message of a version up to 0.2.0."""
    call = marks.text()
    said = random.choice(
        ({"text": marks.text()}, {"segments": [random.choice(SEGMENTS)(random, marks) for _ in range(2)]})
    )
    uses = random.choice(([], [{"id": call, "name": marks.text(), "input": {"a": marks.text()}}]))
    given = result(random, marks, random.choice((call, marks.text())))
    results = random.choice(([], [{name: item for name, item in given.items() if name != "tool_name"}]))
    beside = {"context": marks.text(), "creases": [{"start": marks.number(), "label": marks.text()}]}
    return {
        "id": random.randint(0, 3),
        "role": random.choice(("user", "user", "assistant", "assistant", "system", "robot")),
        **said,
        "tool_uses": uses,
        "tool_results": results,
        **random.choice(({}, {"is_hidden": random.random() < 0.5, **beside})),
    }


def text_thread(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a text thread of one of its versions."""
    texts = [random.choice((marks.text(), f"é{marks.text()}", "")) + "\n" for _ in range(random.randint(0, 5))]
    starts = [sum(len(text.encode()) for text in texts[:at]) for at in range(len(texts))]
    names = random.sample(range(1_000), len(texts))
    kinds = [_metadata(random, marks) for _ in texts]
    pairs = zip(names, starts, kinds, strict=True)
    section = {"range": {"start": random.randint(0, 9), "end": random.randint(0, 30)}, "label": marks.text()}
    about = {"id": marks.text(), "text": "".join(texts), "summary": marks.text()}
    if random.random() < 0.5:
        messages = [
            {"id": {"replica_id": random.choice((0, 1)), "value": name}, "start": start, "metadata": kind}
            for name, start, kind in pairs
        ]
        sections = {
            "slash_command_output_sections": random.choice(([], [section])),
            "thought_process_output_sections": [{"range": {"start": 3, "end": 7}}],
        }
        return {**about, "zed": "context", "version": "0.4.0", "messages": messages, **sections}
    return {
        **about,
        "zed": random.choice(("context", "conversation")),
        "version": "0.1.0",
        "messages": [{"id": name, "start": start} for name, start in zip(names, starts, strict=True)],
        "message_metadata": {
            str(name): {"role": kind["role"], "status": kind["status"], "sent_at": _TIME}
            for name, kind in zip(names, kinds, strict=True)
        },
        "api_url": marks.text(),
        "model": random.choice((marks.text(), {"custom": marks.text()})),
    }


def _metadata(random: Random, marks: Marks) -> dict[str, Any]:
    return {
        "role": random.choice(("user", "assistant", "system")),
        "status": random.choice(("Done", "Pending", "Canceled", {"Error": marks.text()})),
        "timestamp": {"replica_id": 0, "value": marks.number()},
    }


def _mention(random: Random, marks: Marks) -> dict[str, Any]:
    lines = {"start": 1, "end": random.choice((1, 9))}
    place = {random.choice(("abs_path", "path")): f"/w/{marks.text()}"}
    uris = (
        {"File": place},
        {"Directory": place},
        {"Symbol": {**place, "name": marks.text(), "line_range": lines}},
        {"Selection": {**random.choice((place, {})), "line_range": lines}},
        {"Thread": {"id": marks.text(), "name": marks.text()}},
        {"Rule": {"id": {"User": {"uuid": marks.text()}}, "name": marks.text()}},
        {"Fetch": {"url": f"https://x/{marks.text()}"}},
        {"Diagnostics": {"include_errors": True}},
        {"GitDiff": {"base_ref": marks.text()}},
        {"MergeConflict": {"file_path": f"w/{marks.text()}"}},
        {"Skill": {"name": marks.text(), "source": marks.text(), "skill_file_path": f"/s/{marks.text()}"}},
        "PastedImage",
        {"Hologram": {"depth": marks.number()}},
    )
    return {"Mention": {"uri": random.choice(uris), "content": random.choice(("", marks.text()))}}


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    value = marks.text()
    raw = random.choice((f'{{"a":"{value}"}}', f'{{"a":"{marks.text()}', ""))
    use = {"id": marks.text(), "name": marks.text(), "raw_input": raw, "input": {"a": value}}
    return {"ToolUse": {**use, "is_input_complete": random.random() < 0.9, "thought_signature": marks.text()}}


def _image(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"Image": {"source": marks.text(), "size": {"width": marks.number(), "height": 2}}}


PROMPTS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"Text": marks.text()},
    _mention,
    _image,
    lambda _random, marks: marks.text(),
    lambda _random, marks: {"Hologram": {"depth": marks.text()}},
)
ANSWERS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"Text": marks.text()},
    lambda random, marks: {"Thinking": {"text": marks.text(), "signature": random.choice((None, marks.text()))}},
    lambda _random, marks: {"RedactedThinking": marks.text()},
    _call,
    _image,
    lambda _random, marks: {"Hologram": {"depth": marks.text()}},
)
SEGMENTS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text()},
    lambda _random, marks: {"type": "thinking", "text": marks.text(), "signature": marks.text()},
    lambda _random, marks: {"type": "RedactedThinking", "data": [marks.number(), 2]},
    lambda _random, marks: {"type": "hologram", "depth": marks.text()},
)
MESSAGES: Final[tuple[_Maker, ...]] = (
    lambda random, marks: prompt(random, marks, [random.choice(PROMPTS)(random, marks) for _ in range(3)]),
    lambda random, marks: answer(random, marks, [random.choice(ANSWERS)(random, marks) for _ in range(3)]),
    lambda _random, _marks: "Resume",
    lambda _random, marks: {"Compaction": {"Summary": marks.text()}},
    lambda _random, marks: {"Compaction": {"ProviderNative": {"provider": marks.text(), "items": [marks.text()]}}},
)
