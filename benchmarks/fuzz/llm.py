"""Conversations of ``llm`` as they come from its database, in either layout or in both, each text and id a mark."""

from __future__ import annotations

import json
from collections import defaultdict
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_TIME: Final = "2026-11-21T20:31:50.927454+00:00"
PARTS: Final = ("text", "text_ref", "reasoning", "tool_call", "tool_result", "attachment", "hologram")
_Tables = defaultdict[str, list[Any]]


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the rows of a conversation with up to four responses or messages."""
    name = marks.text()
    tables: _Tables = defaultdict(list)
    if random.random() < 0.6:
        tables["conversations"].append({"id": name, "name": marks.text(), "model": marks.text()})
        for _ in range(random.randint(0, 4)):
            response(random, marks, name, tables)
    if random.random() < 0.6:
        _thread(random, marks, name, tables)
    return {"database": "llm", "conversation_id": name, "tables": dict(tables)}


def response(random: Random, marks: Marks, conversation_id: str, tables: _Tables) -> None:
    """Add the rows of a prompt and its answer."""
    name = marks.text()
    schema_id = random.choice((None, marks.text()))
    row = {
        "id": name,
        "model": marks.text(),
        "prompt": random.choice(("", marks.text())),
        "system": random.choice((None, marks.text())),
        "prompt_json": random.choice((None, json.dumps({"messages": [marks.text()]}))),
        "options_json": json.dumps({"temperature": marks.number()}),
        "response": random.choice(("", marks.text())),
        "response_json": json.dumps({"id": marks.text()}),
        "conversation_id": conversation_id,
        "duration_ms": marks.number(),
        "datetime_utc": random.choice((_TIME, None)),
        "input_tokens": marks.number(),
        "output_tokens": marks.number(),
        "token_details": None,
        "schema_id": schema_id,
        "resolved_model": marks.text(),
        "reasoning": random.choice((None, marks.text())),
    }
    tables["responses"].append(row)
    if schema_id is not None:
        tables["schemas"].append({"id": schema_id, "content": json.dumps({"type": marks.text()})})
    for table in ("prompt_fragments", "system_fragments"):
        if random.random() < 0.3:
            fragment_id = fragment(marks, tables)
            tables[table].append({"response_id": name, "fragment_id": fragment_id, "order": 0})
    if random.random() < 0.3:
        tables["prompt_attachments"].append(
            {"response_id": name, "attachment_id": attachment(random, marks, tables), "order": 0}
        )
    if random.random() < 0.4:
        _tools(random, marks, name, tables)


def fragment(marks: Marks, tables: _Tables) -> int:
    """Add a fragment; return its id."""
    number = marks.number()
    tables["fragments"].append(
        {"id": number, "hash": marks.text(), "content": marks.text(), "datetime_utc": _TIME, "source": marks.text()}
    )
    tables["fragment_aliases"].append({"alias": marks.text(), "fragment_id": number})
    return number


def attachment(random: Random, marks: Marks, tables: _Tables) -> str:
    """Add an attachment; return its id."""
    name = marks.text()
    content = random.choice((None, {"sha256": marks.text(), "bytes": marks.number()}))
    tables["attachments"].append(
        {
            "id": name,
            "type": "image/png",
            "path": f"/home/u/{marks.text()}.png",
            "url": marks.text(),
            "content": content,
        }
    )
    return name


def _tools(random: Random, marks: Marks, response_id: str, tables: _Tables) -> None:
    call_id = random.choice((None, marks.text()))
    tool_id, result_id, instance_id = marks.number(), marks.number(), marks.number()
    about = {"hash": marks.text(), "description": marks.text(), "input_schema": "{}", "plugin": marks.text()}
    tables["tools"].append({"id": tool_id, "name": "search", **about})
    tables["tool_responses"].append({"tool_id": tool_id, "response_id": response_id})
    tables["tool_calls"].append(
        {
            "id": marks.number(),
            "response_id": response_id,
            "tool_id": tool_id,
            "name": "search",
            "arguments": json.dumps({"query": marks.text()}),
            "tool_call_id": call_id,
        }
    )
    tables["tool_instances"].append(
        {"id": instance_id, "plugin": marks.text(), "name": marks.text(), "arguments": marks.text()}
    )
    tables["tool_results"].append(
        {
            "id": result_id,
            "response_id": response_id,
            "tool_id": tool_id,
            "name": "search",
            "output": marks.text(),
            "tool_call_id": call_id,
            "instance_id": instance_id,
            "exception": random.choice((None, marks.text())),
        }
    )
    tables["tool_results_attachments"].append(
        {"tool_result_id": result_id, "attachment_id": attachment(random, marks, tables), "order": 0}
    )


def _thread(random: Random, marks: Marks, name: str, tables: _Tables) -> None:
    hashes: list[str | None] = [None]
    for _ in range(random.randint(0, 4)):
        parent = random.choice(hashes[-2:])
        hashes.append(message(random, marks, parent, tables))
        if random.random() < 0.5:
            _turn(random, marks, name, hashes, tables)
    tables["threads"].append(
        {"id": name, "name": marks.text(), "tip_message_hash": hashes[-1], "forked_from": None, "datetime_utc": _TIME}
    )


def message(random: Random, marks: Marks, parent: str | None, tables: _Tables) -> str:
    """Add the rows of a message; return its hash."""
    name = f"b2:{marks.number():032x}" if random.random() < 0.7 else marks.text()
    role = random.choice(("user", "assistant", "system", "tool", "critic"))
    metadata = random.choice((None, json.dumps({"signature": marks.text()})))
    tables["messages"].append({"hash": name, "parent_hash": parent, "role": role, "provider_metadata": metadata})
    for position in range(random.randint(0, 3)):
        tables["parts"].append(part(random, marks, name, position, random.choice(PARTS), tables))
    return name


def part(random: Random, marks: Marks, message_hash: str, position: int, kind: str, tables: _Tables) -> dict[str, Any]:
    """Return the row of a part, and add what it names."""
    number = marks.number()
    row = {"id": number, "message_hash": message_hash, "position": position, "type": kind, "tool_name": None}
    more: dict[str, Any] = {"provider_metadata": {"id": marks.text()}} if random.random() < 0.3 else {}
    if kind in ("text", "reasoning"):
        return {**row, "text": marks.text(), "payload": json.dumps(more) if more else None}
    if kind == "text_ref":
        fragment_id = fragment(marks, tables)
        tables["part_fragments"].append({"part_id": number, "fragment_id": fragment_id, "order": 0})
        pieces = [{"fragment": fragment_id}, {"literal": marks.text()}]
        return {**row, "type": "text", "text": None, "payload": json.dumps({"text_ref": pieces, **more})}
    if kind == "attachment":
        name = attachment(random, marks, tables)
        tables["part_attachments"].append({"part_id": number, "attachment_id": name, "order": 0})
        return {**row, "text": None, "payload": json.dumps({"attachment": {"id": name}, **more})}
    said = {"tool_call": "arguments", "tool_result": "output"}.get(kind, "light")
    payload = {"name": "search", said: marks.text(), "tool_call_id": marks.text(), **more}
    if kind == "tool_call":
        payload["arguments"] = {"query": marks.text()}
    return {**row, "tool_name": "search", "text": None, "payload": json.dumps(payload)}


def _turn(random: Random, marks: Marks, name: str, hashes: list[str | None], tables: _Tables) -> None:
    turn_id = marks.text()
    tables["turns"].append(
        {
            "id": turn_id,
            "thread_id": random.choice((name, marks.text())),
            "parent_message_hash": hashes[-2],
            "tip_message_hash": hashes[-1],
            "model": marks.text(),
            "resolved_model": None,
            "options_json": json.dumps({"temperature": marks.number()}),
            "schema_id": None,
            "input_tokens": marks.number(),
            "output_tokens": marks.number(),
            "token_details": None,
            "duration_ms": marks.number(),
            "datetime_utc": _TIME,
            "response_json": json.dumps({"id": marks.text()}),
        }
    )
    tables["turn_fragments"].append(
        {"turn_id": turn_id, "fragment_id": fragment(marks, tables), "order": 0, "kind": "prompt"}
    )
