"""Grok conversations with every part of a response, each text and id a mark."""

from __future__ import annotations

from json import dumps
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

SENDERS: Final = ("human", "assistant", "ASSISTANT", "grok-4", "system", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a conversation of up to five responses, with parents or without."""
    has_parents = random.random() < 0.8
    ids: list[Any] = []
    responses: list[dict[str, Any]] = []
    for _ in range(random.randint(0, 5)):
        entry = response(random, marks)
        if has_parents and ids:
            entry["response"]["parent_response_id"] = random.choice(ids[-2:])
        ids.append(entry["response"]["_id"])
        responses.append(entry)
    return {
        "conversation": {
            "id": marks.text(),
            "title": marks.text(),
            "create_time": "2026-04-09T07:11:34.833912Z",
            "modify_time": "2026-04-09T07:11:34.833912Z",
            "leaf_response_id": ids[-1] if ids and random.random() < 0.5 else None,
            "system_prompt_name": marks.text(),
            "media_types": [],
        },
        "responses": responses,
    }


def response(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a response in its wrapper."""
    return {
        "response": {
            "_id": random.choice((marks.text(), {"$oid": marks.text()})),
            "conversation_id": marks.text(),
            "sender": random.choice(SENDERS),
            "message": random.choice(("", marks.text(), _marked_up(marks))),
            "create_time": {"$date": {"$numberLong": str(marks.number() * 1000)}},
            "model": "grok-4",
            "partial": random.random() < 0.1,
            "query": marks.text(),
            "query_type": marks.text(),
            **_thoughts(random, marks),
            **_found(random, marks),
        },
        "share_link": random.choice((None, marks.text())),
    }


def _thoughts(random: Random, marks: Marks) -> dict[str, Any]:
    if random.random() < 0.5:
        return {"thinking_trace": "", "agent_thinking_traces": []}
    traces = [{"agent": marks.text(), "thinking_trace": marks.text()}, {"agent": marks.text()}, marks.text()]
    return {"thinking_trace": marks.text(), "agent_thinking_traces": traces, "steps": [{"tags": [marks.text()]}]}


def _marked_up(marks: Marks) -> str:
    card = f'<grok:render card_id="{marks.text()}"><argument name="citation_id">{marks.text()}</argument></grok:render>'
    artifact = f'<xaiArtifact artifact_id="{marks.text()}" contentType="text/css">{marks.text()}</xaiArtifact>'
    return f"{marks.text()}{card}\n{artifact}"


def _found(random: Random, marks: Marks) -> dict[str, Any]:
    if random.random() < 0.5:
        return {"web_search_results": [], "file_attachments": [], "error": None}
    result = {"url": marks.text(), "title": marks.text(), "preview": marks.text(), "site": marks.text()}
    return {
        "web_search_results": [result, marks.text()],
        "cited_web_search_results": [{"url": marks.text(), "preview": marks.text()}],
        "card_attachments_json": [
            dumps({"id": marks.text(), "cardType": "citation_card", "url": marks.text()}),
            dumps({"id": marks.text(), "cardType": "image_card", "image": {"original": marks.text()}}),
            marks.text(),
        ],
        "file_attachments": [marks.text(), {"asset": marks.text()}],
        "generated_image_urls": [marks.text()],
        "error": random.choice((None, marks.text(), {"code": marks.number()})),
    }
