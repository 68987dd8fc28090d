"""JSON that is kept of what exports say beside columns: compared, and of several exports joined."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.text.sanitize import json_text


def json_value(text: str | None) -> Any:
    """Return what JSON text says, for comparing; the database writes it in a form of its own."""
    return None if text is None else json.loads(text, parse_float=Decimal)


def joined_objects(texts: Sequence[str]) -> str:
    """Return JSON objects as one: of a key in several the last counts, and objects under one key are joined in turn."""
    joined: dict[str, Any] = {}
    for text in texts:
        value, _ = parse_json(text.encode())
        for name, item in value.items():
            known = joined.get(name)
            joined[name] = {**known, **item} if isinstance(known, dict) and isinstance(item, dict) else item
    return json_text(joined, Counter()) or "{}"
