"""Who speaks, by the names that vendors have for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from archive_pipeline.domain.records import Role

# By OpenAI's names, which many write.
OPENAI_ROLES: Final[Mapping[str, Role]] = MappingProxyType(
    {"user": "user", "assistant": "assistant", "system": "system", "developer": "system", "tool": "tool"}
)


def read_role(name: object, roles: Mapping[str, Role], warnings: Counter[str]) -> Role:
    """Returns the role of a name in any letter case; an unknown one is counted and taken as system.

    So it is never taken for what the user or the model said.

    Args:
        name: as the source has it; what is no text is unknown.
        roles: by name in lower case.
        warnings: where ``unknown_role`` is counted.
    """
    role = roles.get(name.lower()) if isinstance(name, str) else None
    if role is None:
        warnings["unknown_role"] += 1
        return "system"
    return role
