"""Why a model's answer ends where it does, in the words of vendors: whole, or cut off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

STREAM_ENDED: Final = "the endpoint ended the stream in the middle"
_WHOLE: Final = frozenset({"stop", "eos", "end_turn", "stop_sequence", "complete", "completed"})
_REASONS: Final = {
    "length": "the model reached its limit of tokens",
    "max_tokens": "the model reached its limit of tokens",
    "max_output_tokens": "the model reached its limit of tokens",
    "content_filter": "the endpoint withheld the rest (content_filter)",
}
_SHOWN: Final = 40
# What an answer that was put together of a stream says it is.
_OF_STREAM: Final = "chat.completion.chunk"


def why_cut_off(reason: str) -> str | None:
    """Return a sentence on why an answer is not whole; None if it is."""
    if reason.lower() in _WHOLE:
        return None
    return _REASONS.get(reason.lower(), f"the model stopped ({reason[:_SHOWN]})")


def why_not_whole(response: object) -> str | None:
    """Return the same of what a vendor's answer says beside its text; None too if it does not say.

    Args:
        response: JSON of a chat completion, put together of a stream or not, of a response, or of a message.
    """
    if not isinstance(response, Mapping):
        return None
    reason = _reason(response)
    if reason is not None:
        return why_cut_off(reason)
    return STREAM_ENDED if response.get("object") == _OF_STREAM else None


def _reason(response: Mapping[str, Any]) -> str | None:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    details = response.get("incomplete_details")
    told = (
        response.get("finish_reason"),
        first.get("finish_reason"),
        response.get("stop_reason"),
        details.get("reason") if isinstance(details, Mapping) else None,
    )
    return next((reason for reason in told if isinstance(reason, str) and reason), None)
