"""What Goose says in another's name, by its words: versions that mark it write marks, these are of all versions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartType
from archive_pipeline.readers.json.shapes import as_list, as_object

# What each turn begins with, and what is said where a recipe's answer lacks its form.
_PUT_IN: Final = re.compile(
    r"\s*(?:<(?P<tag>turn-context|info-msg)>.*</(?P=tag)>\s*|You MUST call the `final_output` tool (?:NOW )?with .*)",
    re.DOTALL,
)
_FAILED: Final = re.compile(
    r"Ran into this error: .*Please retry if you think this is a transient or recoverable error\.\s*", re.DOTALL
)


def text_type(text: str, beside: Mapping[str, Any], role: object) -> PartType:
    """Returns what a text of a message that is shown is.

    Args:
        text: the text.
        beside: the other fields of its block.
        role: whose message it is.
    """
    named = as_list(as_object(beside.get("annotations")).get("audience"))
    if named and "user" not in named:
        return PartType.CONTEXT
    if role == "user" and _PUT_IN.fullmatch(text):
        return PartType.CONTEXT
    return PartType.ERROR if role == "assistant" and _FAILED.fullmatch(text) else PartType.TEXT
