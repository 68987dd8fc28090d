"""Prompts of Google AI Studio with every kind of chunk, each text and id a mark."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

ROLES: Final = ("user", "model", "robot")
CONTENTS: Final = ("text", "thought", "parts", "file", "inline", "video", "code", "error", "grounding")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a prompt of up to eight chunks, with ids and branches or without."""
    has_ids = random.random() < 0.4
    chunks = [chunk(random, marks, random.choice(CONTENTS), random.choice(ROLES)) for _ in range(random.randint(0, 8))]
    for place, made in enumerate(chunks):
        if has_ids:
            made["id"] = marks.text()
            if place > 1 and random.random() < 0.3:
                made["branchParent"] = {"id": chunks[random.randrange(place)]["id"]}
        elif random.random() < 0.1:
            made["branchChildren"] = [{"promptId": marks.text(), "displayName": marks.text()}]
    about = {"id": marks.text(), "displayName": marks.text(), "createTime": "2025-02-01T10:00:00Z"} if has_ids else {}
    return {
        **about,
        "runSettings": {"model": f"models/{marks.text()}", "temperature": 1.5, "safetySettings": [{"x": marks.text()}]},
        "systemInstruction": {"parts": [{"text": marks.text()}]},
        "chunkedPrompt": {"chunks": chunks, "pendingInputs": [{"text": marks.text(), "role": "user"}]},
    }


def chunk(random: Random, marks: Marks, kind: str, role: str) -> dict[str, Any]:
    """Return a chunk with content of a kind."""
    made: dict[str, dict[str, Any]] = {
        "text": {"text": marks.text(), "parts": [{"text": marks.text(), "thoughtSignature": marks.text()}]},
        "thought": {"text": marks.text(), "isThought": True, "thinkingBudget": marks.number()},
        "parts": {"parts": [{"text": marks.text()}, {"functionCall": _call(marks)}, {marks.text(): 1}, marks.text()]},
        "file": {"driveDocument": {"id": marks.text(), "name": marks.text(), "sizeBytes": "2048"}},
        "inline": {"inlineFile": {"mimeType": "image/png", "data": "aGk=", "name": marks.text()}},
        "video": {"youtubeVideo": {"id": marks.text(), "start": marks.text()}},
        "code": {
            "executableCode": {"language": "PYTHON", "code": marks.text(), "id": marks.text()},
            "codeExecutionResult": {"outcome": random.choice(("OUTCOME_OK", "OUTCOME_FAILED")), "output": marks.text()},
        },
        "error": {"text": marks.text(), "errorMessage": marks.text()},
        "grounding": {
            "text": marks.text(),
            "grounding": {
                "groundingSources": [{"referenceNumber": 1, "title": marks.text(), "uri": marks.text()}],
                "groundingChunks": [{"web": {"uri": marks.text(), "title": marks.text()}}],
                "webSearchQueries": [marks.text()],
            },
        },
    }
    rest = {"role": role, "tokenCount": marks.number(), "createTime": "2025-02-01T10:00:05Z"}
    return {**rest, **made[kind], **({"finishReason": "STOP"} if random.random() < 0.4 else {})}


def _call(marks: Marks) -> dict[str, Any]:
    return {"name": marks.text(), "id": marks.text(), "args": {"q": marks.text()}, "more": marks.text()}
