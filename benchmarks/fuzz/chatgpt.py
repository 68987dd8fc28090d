"""ChatGPT conversations of every content type and role, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
ROLES: Final = ("user", "assistant", "assistant", "tool", "system", "developer", "function", "critic")
_RECIPIENTS: Final = (None, "all", "python", "web.run", "dalle.text2im")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a conversation of up to six nodes, its first one often without a message."""
    keys = [marks.text() for _ in range(random.randint(1, 6))]
    mapping: dict[str, Any] = {}
    for position, key in enumerate(keys):
        parent = keys[random.randint(max(0, position - 2), position - 1)] if position else None
        is_empty = random.random() < (0.5 if position == 0 else 0.05)
        node: dict[str, Any] = {
            "id": key,
            "parent": parent,
            "message": None if is_empty else message(random, marks, key),
        }
        if random.random() < 0.7:
            node["children"] = []
            if parent is not None and isinstance(mapping[parent].get("children"), list):
                mapping[parent]["children"].append(key)
        mapping[key] = node
    if random.random() < 0.3:
        _make_slim(mapping)
    identifier = marks.text()
    return {
        "conversation_id": identifier,
        "id": identifier,
        "title": marks.text(),
        "create_time": marks.number(),
        "update_time": marks.number(),
        "mapping": mapping,
        "current_node": keys[-1],
        "gizmo_id": marks.text(),
        "conversation_template_id": f"g-p-{marks.text()}" if random.random() < 0.3 else marks.text(),
        "gizmo_type": random.choice(("gpt", marks.text())),
        "is_archived": random.random() < 0.5,
        "safe_urls": [marks.text()],
    }


def _make_slim(mapping: dict[str, Any]) -> None:
    """Take from the nodes what bulk exports since 2026 leave out; who spoke stays, so that some are not quite slim."""
    for node in mapping.values():
        node.pop("children", None)
        for name in ("status", "weight", "recipient", "channel"):
            (node["message"] or {}).pop(name, None)


def message(random: Random, marks: Marks, key: str) -> dict[str, Any]:
    """Return a message with content of any type."""
    return {
        "id": key if random.random() < 0.9 else marks.text(),
        "author": {"role": random.choice(ROLES), "name": marks.text(), "metadata": {"real_author": marks.text()}},
        "create_time": marks.number(),
        "content": random.choice(CONTENTS)(random, marks),
        "status": random.choice(("finished_successfully", "in_progress", "finished_partial_completion", marks.text())),
        "weight": random.choice((0.0, 1.0)),
        "metadata": _metadata(random, marks),
        "recipient": random.choice((*_RECIPIENTS, marks.text())),
        "channel": random.choice((None, "final", marks.text())),
    }


def _metadata(random: Random, marks: Marks) -> dict[str, Any]:
    fields: dict[str, _Maker] = {
        "model_slug": _text,
        "attachments": lambda random, marks: [_attachment(random, marks) for _ in range(random.randint(0, 2))],
        "is_visually_hidden_from_conversation": lambda random, _: random.random() < 0.5,
        "aggregate_result": lambda random, marks: {
            "status": random.choice(("success", "failed_with_in_kernel_exception", marks.text())),
            "messages": [{"message_type": "stream", "text": marks.text()}],
        },
        "citations": lambda _, marks: [
            {"start_ix": marks.number(), "metadata": {"url": marks.text(), "title": marks.text(), "text": marks.text()}}
        ],
        "search_result_groups": _search_results,
        "content_references": _references,
        "safe_urls": lambda _, marks: [marks.text(), marks.number()],
        "user_context_message_data": lambda _, marks: {
            "about_user_message": marks.text(),
            "about_model_message": marks.text(),
            marks.text(): marks.text(),
        },
    }
    return {name: make(random, marks) for name, make in fields.items() if random.random() < 0.3}


def _search_results(random: Random, marks: Marks) -> list[Any]:
    entry = {"type": "search_result", "url": marks.text(), "title": marks.text(), "snippet": marks.text()}
    second = {"url": marks.text(), "ref_id": {"turn_index": marks.number()}}
    groups = ({"domain": marks.text(), "entries": [entry, second, marks.text()], "label": marks.text()}, marks.text())
    return [random.choice((*groups, {"domain": marks.text(), "entries": marks.text()}))]


def _references(random: Random, marks: Marks) -> list[Any]:
    support = [{"title": marks.text(), "url": marks.text()}]
    items = [{"title": marks.text(), "url": marks.text(), "supporting_websites": support}]
    grouped = {"matched_text": marks.text(), "start_idx": marks.number(), "items": items, "fallback_items": items}
    page = {"type": "webpage", "url": marks.text(), "title": marks.text()}
    footnote = {"type": "sources_footnote", "sources": [{"url": marks.text()}, {"attribution": marks.text()}]}
    return [random.choice((grouped, page, footnote, {"type": "entity", "name": marks.text()}, marks.text()))]


def _attachment(random: Random, marks: Marks) -> dict[str, Any]:
    kind = random.choice(("mime_type", "mimeType"))
    return {"id": marks.text(), "name": marks.text(), "size": marks.number(), kind: marks.text(), "width": 3}


def _text(_: Random, marks: Marks) -> str:
    return marks.text()


def _typed(name: str, /, **fields: _Maker) -> _Maker:
    return lambda random, marks: {
        "content_type": name,
        **{field: make(random, marks) for field, make in fields.items()},
    }


def _texts(random: Random, marks: Marks) -> list[str]:
    return [marks.text() for _ in range(random.randint(1, 2))]


def _written(_: Random, marks: Marks) -> list[str]:
    fence = f':::writing{{variant="document" id="{marks.text()}"}}'
    return [f"{marks.text()}\n{fence}\n{marks.text()}\n:::\n{marks.text()}\n:::writing\n{marks.text()}"]


def _thoughts(random: Random, marks: Marks) -> list[Any]:
    return [
        {"summary": marks.text(), "content": random.choice(("", marks.text())), "finished": True}
        for _ in range(random.randint(0, 2))
    ]


def _items(random: Random, marks: Marks) -> list[Any]:
    kinds: tuple[_Maker, ...] = (
        _text,
        _typed("image_asset_pointer", asset_pointer=_text, width=lambda _, marks: marks.number()),
        _typed("audio_transcription", text=_text, direction=_text),
        _typed("audio_asset_pointer", asset_pointer=_text),
        _typed("video_container_asset_pointer", asset_pointer=_text),
        _typed(
            "real_time_user_audio_video_asset_pointer",
            audio_asset_pointer=lambda _, marks: {"asset_pointer": marks.text(), "size_bytes": marks.number()},
        ),
        _typed("hologram", text=_text),
        lambda _, marks: marks.number(),
    )
    return [random.choice(kinds)(random, marks) for _ in range(random.randint(1, 3))]


CONTENTS: Final[tuple[_Maker, ...]] = (
    _typed("text", parts=_texts),
    _typed("text", parts=_texts),
    lambda random, marks: {"parts": _texts(random, marks)},
    _typed("text", parts=_written),
    _typed("multimodal_text", parts=_items),
    _typed("code", text=_text, language=lambda random, marks: random.choice(("unknown", "python", marks.text()))),
    _typed("execution_output", text=_text),
    _typed("computer_output", state=lambda _, marks: {"title": marks.text(), "url": marks.text()}, computer_id=_text),
    _typed("tether_quote", text=_text, url=_text, domain=_text, title=_text),
    _typed("tether_browsing_display", result=_text, summary=_text, assets=_texts),
    _typed("sonic_webpage", text=_text, snippet=_text, url=_text),
    _typed("citable_code_output", output_str=_text),
    _typed("system_error", name=_text, text=_text),
    _typed("thoughts", thoughts=_thoughts, source_analysis_msg_id=_text),
    _typed("reasoning_recap", content=_text),
    _typed("user_editable_context", user_profile=_text, user_instructions=_text),
    _typed("model_editable_context", model_set_context=_text, repository=_text),
    _typed("app_pairing_content", workspaces=_texts, context_parts=_texts),
    _text,
    lambda _random, _marks: None,
)
