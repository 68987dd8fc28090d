"""The content of one ChatGPT message, by its ``content_type``, as parts.

A type that is not known here is kept as it is and counted: its text is not passed off as something the user or the
model said. Inline citation marks stay in the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from archive_pipeline.readers.json_parsing import parse_json
from archive_pipeline.readers.json_shapes import as_list, as_object, as_text, joined, without
from archive_pipeline.readers.records import PartRecord, PartType, Role

CONTEXT_TYPES = frozenset({"user_editable_context", "model_editable_context"})
_NOT_A_TOOL = frozenset({"all", "user", "assistant"})
_CALL_TYPES = frozenset({"text", "code", "multimodal_text"})
_THOUGHT_TEXT = frozenset({"summary", "content"})
_TYPE = "content_type"
_TEXT_FIELDS = frozenset(
    {"parts", "text", "thoughts", "content", "result", "summary", "output_str", "user_profile", "user_instructions"}
)
# Where the text of what a tool gave back stands, by content type.
_RESULT_FIELDS: dict[str, tuple[str, ...]] = {
    "execution_output": ("text",),
    "tether_browsing_display": ("result", "summary"),
    "tether_quote": ("text",),
    "sonic_webpage": ("text",),
    "citable_code_output": ("output_str",),
    "computer_output": (),
    "system_error": ("text",),
}


def is_call(message: Mapping[str, Any], role: Role) -> bool:
    """True if a message is addressed to a tool: its text is then an argument, not prose."""
    recipient = as_text(message.get("recipient"))
    if role != "assistant" or recipient is None or recipient in _NOT_A_TOOL:
        return False
    return _content_type(message.get("content")) in _CALL_TYPES


def _content_type(content: object) -> str:
    if not isinstance(content, dict):
        return "text"
    return as_text(content.get(_TYPE)) or ("text" if "parts" in content or "text" in content else "")


class ContentReader:
    """Reads one message's content.

    Args:
        message: the message object.
        role: its role.
        key: its node id, by which results name the call.
        call: the node id of the call it answers, if it answers one.
        warnings: where surprises are counted.
    """

    def __init__(
        self, message: Mapping[str, Any], *, role: Role, key: str, call: str | None, warnings: Counter[str]
    ) -> None:
        self._message = message
        self._content = message.get("content")
        self._type = _content_type(self._content)
        self._role = role
        self._key = key
        self._call = call
        self._warnings = warnings
        self._kept_whole = False

    def parts(self) -> tuple[PartRecord, ...]:
        """Returns the message's parts, in order."""
        if self._content is None or self._content == {}:
            return ()
        if not isinstance(self._content, dict):
            self._warnings["malformed_content"] += 1
            parts = self._content if isinstance(self._content, list) else [self._content]
            return tuple(self._prose({"parts": parts}))
        if self._type in _CALL_TYPES:
            return tuple(self._prose(self._content))
        if self._type in _RESULT_FIELDS:
            return (self._result_of_type(self._content),)
        readers: dict[str, Callable[[dict[str, Any]], list[PartRecord]]] = {
            "thoughts": self._thoughts,
            "reasoning_recap": self._recap,
            "user_editable_context": self._context,
            "model_editable_context": self._context,
        }
        return tuple(readers.get(self._type, self._unknown)(self._content))

    def rest(self) -> object:
        """Returns what of the content the parts do not hold; to be asked for after ``parts``."""
        if not isinstance(self._content, dict):
            return None
        if self._kept_whole:
            return {_TYPE: self._content.get(_TYPE)}
        return {key: item for key, item in self._content.items() if key not in _TEXT_FIELDS}

    def _prose(self, content: dict[str, Any]) -> list[PartRecord]:
        """Reads text, code and multimodal text, which differ by who speaks to whom."""
        items = as_list(content.get("parts"))
        if not items and isinstance(content.get("text"), str):
            items = [content["text"]]
        if self._role == "tool":
            return self._tool_answer(items)
        if is_call(self._message, self._role):
            return self._tool_call(items)
        if self._type == "code":
            text = joined(item for item in items if isinstance(item, str))
            return [PartRecord(PartType.CODE, text, self._type, language=self._language())] if text else []
        return self._strings_and_objects(items)

    def _language(self) -> str | None:
        language = as_text(as_object(self._content).get("language"))
        return None if language == "unknown" else language

    def _tool_call(self, items: list[Any]) -> list[PartRecord]:
        text = joined(item for item in items if isinstance(item, str))
        call = PartRecord(
            PartType.TOOL_USE,
            text,
            self._type,
            tool_name=as_text(self._message.get("recipient")),
            tool_use_id=self._key,
            tool_input=self._tool_input(text),
            language=self._language(),
        )
        return [call, *self._strings_and_objects([item for item in items if not isinstance(item, str)])]

    def _tool_input(self, text: str | None) -> dict[str, Any] | None:
        if text and text.lstrip().startswith("{"):
            try:
                value, _ = parse_json(text.encode("utf-8", "surrogatepass"))
            except ValueError:
                value = None
            if isinstance(value, dict):
                return value
        return {"code": text} if text and self._type == "code" else None

    def _tool_answer(self, items: list[Any]) -> list[PartRecord]:
        """One result, even an empty one, so that each answered call has its answer; then images and the like."""
        texts = [as_text(item) or _transcript(item) for item in items]
        rest = [item for item, text in zip(items, texts, strict=True) if text is None and not isinstance(item, str)]
        return [self._result(joined(texts)), *self._strings_and_objects(rest)]

    def _result(self, text: str | None, source: object = None) -> PartRecord:
        return PartRecord(
            PartType.TOOL_RESULT,
            text,
            self._type,
            tool_name=self._tool_name(),
            tool_use_id=self._call,
            is_error=self._is_error(),
            source=source,
        )

    def _tool_name(self) -> str | None:
        return as_text(as_object(self._message.get("author")).get("name")) if self._role == "tool" else None

    def _is_error(self) -> bool | None:
        if self._type == "system_error":
            return True
        outcome = as_object(self._message.get("metadata")).get("aggregate_result")
        if not isinstance(outcome, dict):
            return None
        failed = str(outcome.get("status", "")).startswith("failed")
        return failed or bool(outcome.get("in_kernel_exception") or outcome.get("system_exception"))

    def _result_of_type(self, content: dict[str, Any]) -> PartRecord:
        text = joined(as_text(content.get(field)) for field in _RESULT_FIELDS[self._type])
        if self._type == "sonic_webpage":
            text = text or as_text(content.get("snippet"))
        if self._type == "computer_output":
            state = as_object(content.get("state"))
            text = "\n".join(item for item in map(as_text, (state.get("title"), state.get("url"))) if item) or None
        source = without(content, frozenset({_TYPE, *_RESULT_FIELDS[self._type]}))
        if self._type == "system_error" and self._role != "tool":
            return PartRecord(PartType.ERROR, text, self._type, is_error=True, source=source)
        return self._result(text, source)

    def _thoughts(self, content: dict[str, Any]) -> list[PartRecord]:
        if self._role == "tool":
            return [self._result(joined(map(_thought_text, as_list(content.get("thoughts")))), content)]
        parts = []
        for thought in as_list(content.get("thoughts")):
            text = _thought_text(thought)
            if text:
                source = without(as_object(thought), _THOUGHT_TEXT)
                parts.append(PartRecord(PartType.THINKING, text, self._type, source=source))
        return parts

    def _recap(self, content: dict[str, Any]) -> list[PartRecord]:
        text = as_text(content.get("content"))
        return [PartRecord(PartType.THINKING, text, self._type)] if text else []

    def _context(self, content: dict[str, Any]) -> list[PartRecord]:
        self._kept_whole = True
        fields = ("user_profile", "user_instructions", "model_set_context")
        text = joined(as_text(content.get(field)) for field in fields)
        return [PartRecord(PartType.CONTEXT, text, self._type, source=content)]

    def _unknown(self, content: dict[str, Any]) -> list[PartRecord]:
        self._kept_whole = True
        return [self._unknown_part(content, self._type or "none")]

    def _unknown_part(self, source: object, name: str) -> PartRecord:
        self._warnings[f"unknown_part:{name}"] += 1
        return PartRecord(
            PartType.UNKNOWN, source_type=name, tool_name=self._tool_name(), tool_use_id=self._call, source=source
        )

    def _strings_and_objects(self, items: list[Any]) -> list[PartRecord]:
        """Reads the items of ``parts``; empty strings and nulls say nothing and are left out."""
        return [self._item(item) for item in items if item not in (None, "")]

    def _item(self, item: object) -> PartRecord:
        if isinstance(item, str):
            return PartRecord(PartType.TEXT, item, self._type)
        if not isinstance(item, dict):
            return self._unknown_part(item, type(item).__name__)
        name = as_text(item.get(_TYPE)) or "none"
        if name == "audio_transcription":
            return PartRecord(
                PartType.TEXT, as_text(item.get("text")), name, source=without(item, frozenset({_TYPE, "text"}))
            )
        return self._media(item, name) or self._unknown_part(item, name)

    def _media(self, item: dict[str, Any], name: str) -> PartRecord | None:
        kinds = {
            "image_asset_pointer": PartType.IMAGE,
            "audio_asset_pointer": PartType.AUDIO,
            "video_container_asset_pointer": PartType.VIDEO,
            "real_time_user_audio_video_asset_pointer": PartType.AUDIO,
        }
        if name not in kinds:
            return None
        kind, pointer = kinds[name], item.get("asset_pointer")
        if name.startswith("real_time"):
            video, audio = item.get("video_container_asset_pointer"), item.get("audio_asset_pointer")
            kind = PartType.VIDEO if video else PartType.AUDIO
            pointer = video or audio
            pointer = as_object(pointer).get("asset_pointer") or pointer
        return PartRecord(
            kind,
            source_type=name,
            tool_name=self._tool_name(),
            tool_use_id=self._call,
            uri=as_text(pointer),
            source=item,
        )


def _thought_text(thought: object) -> str | None:
    fields = as_object(thought)
    return as_text(thought) or joined((as_text(fields.get("summary")), as_text(fields.get("content"))))


def _transcript(item: object) -> str | None:
    fields = as_object(item)
    return as_text(fields.get("text")) if fields.get(_TYPE) == "audio_transcription" else None
