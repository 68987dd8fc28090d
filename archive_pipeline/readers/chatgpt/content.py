"""The content of one ChatGPT message, by its ``content_type``, as parts.

A type that is not known here is kept as it is and counted: its text is not passed off as something the user or the
model said. Inline citation marks stay in the text. Each value is taken once (``json.fields``): what no part takes is
left for the message's ``source_json``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from archive_pipeline.domain.records import PartRecord, PartType, Role
from archive_pipeline.readers.chatgpt.items import TRANSCRIPTION, TYPE, read_spoken, read_thought, said_items
from archive_pipeline.readers.json.fields import Fields, holds_text, is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_object, as_text, joined

_TEXT = PartType.TEXT  # looked up once: that takes ten times as long as a name
_NOT_A_TOOL = frozenset({"all", "user", "assistant"})
_CALL_TYPES = frozenset({"text", "code", "multimodal_text"})
# Where text stands in other content types: read where a type's own fields have none.
_OTHER_TEXT = ("content", "text", "parts")
# Fields that hold text in some type: if one is left, it is in source_json alone, and that is counted.
_TEXT_FIELDS = frozenset({*_OTHER_TEXT, "thoughts", "result", "summary", "output_str"})
UNREAD_TEXT = "unread_text"
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
    return as_text(content.get(TYPE)) or ("text" if "parts" in content or "text" in content else "")


class ContentReader:
    """Reads one message's content.

    Args:
        message: the message object.
        role: its role.
        key: its node id, by which results name the call.
        call: the node id of the call it answers, if it answers one.
        is_call: whether it is addressed to a tool (``is_call``).
        warnings: where anomalies are counted.
    """

    def __init__(
        self,
        message: Mapping[str, Any],
        *,
        role: Role,
        key: str,
        call: str | None,
        is_call: bool,
        warnings: Counter[str],
    ) -> None:
        self._message = message
        self._content = message.get("content")
        self._fields = Fields(self._content)
        self._type = _content_type(self._content)
        self._role = role
        self._key = key
        self._call = call
        self._is_call = is_call
        self._warnings = warnings

    def parts(self) -> tuple[PartRecord, ...]:
        """Returns the message's parts, in order."""
        if self._content is None or self._content == {}:
            return ()
        if not isinstance(self._content, dict):
            self._warnings["malformed_content"] += 1
            return tuple(self._prose(self._content if isinstance(self._content, list) else [self._content]))
        if self._type in _CALL_TYPES:
            return tuple(self._prose(self._items()))
        if self._type in _RESULT_FIELDS:
            return (self._result_of_type(),)
        readers: dict[str, Callable[[], list[PartRecord]]] = {
            "thoughts": self._thoughts,
            "reasoning_recap": self._recap,
            "user_editable_context": self._context,
            "model_editable_context": self._context,
        }
        return tuple(readers.get(self._type, self._unknown)())

    def rest(self) -> object:
        """Returns what of the content the parts do not hold; to be asked for after ``parts``."""
        if not isinstance(self._content, dict):
            return None  # every item is a part
        left = self._fields.fields_left()
        if not _TEXT_FIELDS.isdisjoint(left) and any(
            name in _TEXT_FIELDS and holds_text(value) for name, value in left.items()
        ):
            self._warnings[UNREAD_TEXT] += 1
        return left

    def _items(self) -> list[Any]:
        """Takes the items of ``parts``, or else ``text`` as the only one."""
        return said_items(self._fields.take_items("parts")) or self._fields.take_items("text")

    def _prose(self, items: list[Any]) -> list[PartRecord]:
        """Reads text, code and multimodal text, which differ by who speaks to whom."""
        if self._role == "tool":
            return self._tool_answer(items)
        if self._is_call:
            return self._tool_call(items)
        if self._type == "code":
            return [
                *self._code(items),
                *self._strings_and_objects([item for item in items if not isinstance(item, str)]),
            ]
        return self._strings_and_objects(items)

    def _code(self, items: list[Any]) -> list[PartRecord]:
        text = joined(item for item in items if isinstance(item, str))
        return [PartRecord(PartType.CODE, text, self._type, language=self._language())] if text else []

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
        texts: list[str] = []
        rests: list[dict[str, Any]] = []
        others: list[Any] = []
        for item in items:
            text, rest = read_spoken(item)
            if text is None:
                others.append(item)
                continue
            texts.append(text)
            if rest is not None:
                rests.append(rest)
        return [self._result(joined(texts), {"parts": rests} if rests else None), *self._strings_and_objects(others)]

    def _result(self, text: str | None, source: object) -> PartRecord:
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

    def _result_of_type(self) -> PartRecord:
        fields = self._fields
        text = joined([fields.take_text(name) for name in _RESULT_FIELDS[self._type]])
        if self._type == "sonic_webpage":
            text = text or fields.take_text("snippet")
        if self._type == "computer_output":
            state = as_object(as_object(self._content).get("state"))
            text = "\n".join(item for item in map(as_text, (state.get("title"), state.get("url"))) if item) or None
        text = text or fields.first_text(_OTHER_TEXT)
        source = self._take_rest()
        if self._type == "system_error" and self._role != "tool":
            return PartRecord(PartType.ERROR, text, self._type, is_error=True, source=source)
        return self._result(text, source)

    def _take_rest(self) -> dict[str, Any] | None:
        """Takes whatever is left but the type, for the part that holds all of the content."""
        rest = self._fields
        self._fields = Fields({TYPE: rest.take(TYPE)})
        return rest.rest()

    def _thoughts(self) -> list[PartRecord]:
        parts: list[PartRecord] = []
        silent: list[Any] = []
        for thought in self._fields.take_items("thoughts"):
            text, source = read_thought(thought)
            if text is not None:
                parts.append(PartRecord(PartType.THINKING, text, self._type, source=source))
            elif not is_empty(source):
                silent.append(source)
        self._fields.put_back("thoughts", silent)
        if not parts:
            parts = self._recap()
        if self._role == "tool":
            sources = [part.source for part in parts if part.source is not None]
            self._fields.put_back("thoughts", [*silent, *sources])
            return [self._result(joined(part.text for part in parts), self._take_rest())]
        return parts

    def _recap(self) -> list[PartRecord]:
        text = self._fields.first_text(_OTHER_TEXT)
        return [PartRecord(PartType.THINKING, text, self._type)] if text else []

    def _context(self) -> list[PartRecord]:
        self._take_rest()
        content = as_object(self._content)
        fields = ("user_profile", "user_instructions", "model_set_context")
        text = joined(as_text(content.get(field)) for field in fields)
        return [PartRecord(PartType.CONTEXT, text, self._type, source=content)]

    def _unknown(self) -> list[PartRecord]:
        self._take_rest()
        return [self._unknown_part(self._content, self._type or "none")]

    def _unknown_part(self, source: object, name: str) -> PartRecord:
        self._warnings[f"unknown_part:{name}"] += 1
        return PartRecord(
            PartType.UNKNOWN, source_type=name, tool_name=self._tool_name(), tool_use_id=self._call, source=source
        )

    def _strings_and_objects(self, items: list[Any]) -> list[PartRecord]:
        """Reads the items of ``parts``; empty strings and nulls say nothing and are left out."""
        return [self._item(item) for item in said_items(items)]

    def _item(self, item: object) -> PartRecord:
        if isinstance(item, str):
            return PartRecord(_TEXT, item, self._type)
        if not isinstance(item, dict):
            return self._unknown_part(item, type(item).__name__)
        name = as_text(item.get(TYPE)) or "none"
        if name == TRANSCRIPTION:
            fields = Fields(item)
            fields.take(TYPE)
            return PartRecord(PartType.TEXT, fields.take_text("text"), name, source=fields.rest())
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
