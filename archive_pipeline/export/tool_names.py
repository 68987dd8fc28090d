"""Names of tools as providers take them."""

from __future__ import annotations

import re
from typing import Final

NOT_IN_NAMES: Final = "[^a-zA-Z0-9_-]"
_NOT_IN_NAMES: Final = re.compile(NOT_IN_NAMES)
_CHARACTERS: Final = 64


def tool_name(name: str | None) -> str:
    """Return a name as providers take it: letters, digits, ``_`` and ``-``, at most 64."""
    return _NOT_IN_NAMES.sub("_", name or "tool")[:_CHARACTERS]
