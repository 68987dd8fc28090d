"""DeepSeek conversations of every fragment type, and of the shape before fragments, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a conversation of up to five messages below a root without one."""
    keys = ["root", *(marks.text() for _ in range(random.randint(0, 5)))]
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "message": None, "children": []}}
    has_fragments = random.random() < 0.8
    for position, key in enumerate(keys[1:]):
        parent = keys[random.randint(max(0, position - 1), position)]
        mapping[parent]["children"].append(key)
        content = message(random, marks) if has_fragments else early_message(random, marks)
        mapping[key] = {"id": key, "parent": parent, "children": [], "message": content}
    return {
        "id": marks.text(),
        "title": marks.text(),
        "inserted_at": "2026-02-03T04:05:06.789000+08:00",
        "updated_at": marks.number(),
        "mapping": mapping if random.random() < 0.8 else {f"key {key}": node for key, node in mapping.items()},
    }


def message(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a message with fragments of any type, and files."""
    file = {"id": marks.text(), "file_name": marks.text(), "file_size": marks.number(), "content": marks.text()}
    return {
        "files": [file] if random.random() < 0.2 else [],
        "model": random.choice(("deepseek-chat", marks.text())),
        "status": random.choice(("FINISHED", "WIP", "INCOMPLETE", None)),
        "inserted_at": marks.number(),
        "fragments": [random.choice(FRAGMENTS)(random, marks) for _ in range(random.randint(0, 3))],
    }


def early_message(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a message as the exports of early 2025 have it."""
    return {
        "files": [],
        "model": "deepseek-reasoner",
        "inserted_at": "2025-03-30T04:49:37.018000+08:00",
        "content": marks.text(),
        "reasoning_content": random.choice((None, marks.text())),
        "search_results": random.choice((None, [_result(marks)])),
    }


def _result(marks: Marks) -> dict[str, Any]:
    return {"url": marks.text(), "title": marks.text(), "snippet": marks.text(), "cite_index": marks.number()}


FRAGMENTS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "REQUEST", "content": marks.text()},
    lambda _random, marks: {"type": "RESPONSE", "content": marks.text(), "references": [marks.text()]},
    lambda _random, marks: {"type": "THINK", "content": marks.text(), "elapsed_secs": marks.number()},
    lambda _random, marks: {"type": "SEARCH", "results": [_result(marks), marks.text()], "status": marks.text()},
    lambda _random, marks: {"type": "TOOL_SEARCH", "queries": [{"query": marks.text()}], "results": [_result(marks)]},
    lambda _random, marks: {"type": "TOOL_OPEN", "url": marks.text(), "result": _result(marks), "id": marks.number()},
    lambda _random, marks: {"type": "FILE", "file_id": marks.text(), "name": marks.text(), "content": marks.text()},
    lambda _random, marks: {"type": "TIP", "content": marks.text(), "style": marks.text()},
    lambda _random, marks: marks.text(),
)
