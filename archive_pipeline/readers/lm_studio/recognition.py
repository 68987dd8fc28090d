"""What speaks for an object being a conversation of LM Studio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.fields import is_empty

MESSAGES: Final = "messages"
VERSIONS: Final = "versions"
SELECTED: Final = "currentlySelected"
_OF_VERSION: Final = ("content", "steps")
# Two of them tell a conversation in which nothing was said yet.
_OWN_FIELDS: Final = frozenset(
    {"usePerChatPredictionConfig", "perChatPredictionConfig", "lastUsedModel", "clientInputFiles", "userFilesSizeBytes"}
)


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its messages, each of which has versions of what is said."""
    messages = value.get(MESSAGES)
    if not isinstance(messages, list):
        return Evidence(0.0, "no messages")
    if any(map(_has_versions, messages)):
        return Evidence(1.0, "messages with versions, of which one is selected")
    if len(_OWN_FIELDS & value.keys()) < 2:
        return Evidence(0.0, "no messages with versions")
    if all(map(is_empty, messages)):
        return Evidence(0.6, "settings of a conversation, and no messages")
    return Evidence(0.1, "settings of a conversation, but no messages with versions")


def _has_versions(message: object) -> bool:
    if not isinstance(message, dict) or not isinstance(message.get(VERSIONS), list) or SELECTED not in message:
        return False
    return any(
        isinstance(version, dict) and "role" in version and any(name in version for name in _OF_VERSION)
        for version in message[VERSIONS]
    )
