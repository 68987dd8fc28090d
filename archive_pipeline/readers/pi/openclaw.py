"""What OpenClaw writes into sessions of Pi by itself: prompts that nobody typed, copies of answers, tags of replies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.claude_code.content import blocks_of, text_of
from archive_pipeline.readers.json.shapes import as_object, as_text

_PROVIDER: Final = "openclaw"
_MIRROR: Final = "delivery-mirror"
_OWN_MODELS: Final = frozenset({_MIRROR, "gateway-injected"})
# Of where a prompt comes from: the gateway, or another session.
_NOT_TYPED: Final = frozenset({"internal_system", "inter_session"})
# Earlier versions tell their prompts by the wording alone.
_AUTOMATIC: Final = (
    "A new session was started via /new",
    "[Startup context loaded by runtime]",
    "[OpenClaw heartbeat poll]",
    "[OpenClaw exec completion]",
    "[OpenClaw cron wake]",
    "[OpenClaw session event]",
    "Read HEARTBEAT.md if it exists",
    "Follow the heartbeat monitor scratch context when provided.",
    "Run the following periodic tasks (only those due based on their intervals):",
    "An async command you ran earlier has completed.",
    "An async command completion event was triggered,",
    "A scheduled reminder has been triggered.",
    "A scheduled cron event was triggered,",
    "Pre-compaction memory flush.",
)
# Answers that say that there is nothing to say; OpenClaw sends them to nobody.
_SILENT: Final = frozenset({"HEARTBEAT_OK", "NO_REPLY"})
_TAGS: Final = re.compile(
    r"(?:\s*\[\[\s*(?:reply_to_current|reply_to\s*:[^\]\n]*+|audio_as_voice)\s*\]\])+\s*", re.IGNORECASE
)


def is_automatic(message: Mapping[str, Any]) -> bool:
    """Tells whether nobody typed a prompt."""
    if as_text(as_object(message.get("provenance")).get("kind")) in _NOT_TYPED:
        return True
    return next(iter(_texts(message)), "").lstrip().startswith(_AUTOMATIC)


def is_own_answer(message: Mapping[str, Any]) -> bool:
    """Tells whether OpenClaw wrote an answer: what a model is named then is none."""
    return message.get("provider") == _PROVIDER and as_text(message.get("model")) in _OWN_MODELS


def is_silent(parts: Iterable[PartRecord]) -> bool:
    """Tells whether an answer says nothing but that there is nothing to say."""
    said = [part for part in parts if part.part_type is not PartType.THINKING]
    return len(said) == 1 and said[0].part_type is PartType.TEXT and (said[0].text or "").strip() in _SILENT


def take_tags(part: PartRecord) -> None:
    """Takes from the beginning of a text which message it replies to; the text stays whole in the source."""
    tags = _TAGS.match(part.text) if part.part_type is PartType.TEXT and part.text is not None else None
    if tags is not None:
        part.source = {**(part.source or {}), "text": part.text}
        part.text = (part.text or "")[tags.end() :] or None


class Mirrors:
    """Tells copies of answers: OpenClaw writes what it has delivered once more, which may be what a tool has sent."""

    def __init__(self) -> None:
        self._said: set[str] = set()  # by the model since the last prompt

    def is_copy(self, message: Mapping[str, Any]) -> bool:
        """Tells whether an answer is the copy of one since the last prompt; messages come in their order."""
        role = message.get("role")
        if role == "user":
            self._said.clear()
        if role != "assistant":
            return False
        words = _words(message)
        if is_own_answer(message):
            return message.get("model") == _MIRROR and words != "" and words in self._said
        self._said.add(words)
        return False


def _words(message: Mapping[str, Any]) -> str:
    """Returns what a message says, without tags and white space."""
    texts = ((_TAGS.match(text), text) for text in _texts(message))
    return "".join("".join(text if tags is None else text[tags.end() :] for tags, text in texts).split())


def _texts(message: Mapping[str, Any]) -> list[str]:
    return [text for block in blocks_of(message) if (text := text_of(block)) is not None]
