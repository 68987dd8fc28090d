"""What rows of a session are as messages, and which of them are the same one.

Hermes writes a summary into the row of a message that follows or goes before: that row is two messages. Copies of a row
have other numbers than the first one, and exports have only the last copy: the id of a message is made of what all
copies have, so that a later copy does not change it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from archive_pipeline.readers.hermes.wording import json_in, split_summary
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_text
from archive_pipeline.readers.timestamps import read_timestamp

_SAME: Final = ("role", "tool_call_id", "tool_calls", "tool_name")
_SUMMARY: Final = "_compressed_summary"
_KIND: Final = "display_kind"
# Of the columns of a row with a summary, what the summary has; all others are of what is said.
_OF_SUMMARY: Final = frozenset(
    {"id", "session_id", "role", "content", "timestamp", "active", "compacted", "display_metadata", _SUMMARY, _KIND}
)
_HIDDEN: Final = "hidden"
_STEER: Final = "steer"  # what the user says while the model works
_NO_ANSWERS: Final = frozenset({"failed_turn"})


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a row.

    Attributes:
        row: the columns of the row that are the message's, with content as it was said.
        is_put_in: the program wrote it in the place of the user or the model.
        around: of a summary, the content of its row, if that has more than the summary.
        key: of this message in its session, also of its copies.
    """

    row: dict[str, Any]
    is_put_in: bool
    around: Any = None
    key: str = ""

    @property
    def is_taken_back(self) -> bool:
        """Whether the row does not count; also that of one that is kept and written again."""
        return self.row.get("active") == 0 and self.row.get("compacted") != 1


def messages_of(rows: Iterable[dict[str, Any]]) -> Iterator[Said]:
    """Yields the messages of a session's rows, mostly one of each."""
    untimed: Counter[str] = Counter()
    for row in rows:
        for part in _parts(row):
            key = _key(part.row)
            if is_empty(row.get("timestamp")):  # nothing says that it is a copy
                untimed[key] += 1
                key = f"{key}-{untimed[key]}"
            yield replace(part, key=key)


def _parts(row: dict[str, Any]) -> Iterator[Said]:
    content = _decoded(row.get("content"))
    pieces = split_summary(content) if row.get("role") in ("user", "assistant") else [(content, False)]
    if len(pieces) == 1 or _is_notice(row):
        is_put_in = pieces[0][1] or _is_notice(row) or _is_marked(row)
        yield Said({**row, "content": content} if "content" in row else row, is_put_in)
        return
    for piece, is_put_in in pieces:
        kept = _OF_SUMMARY if is_put_in else row.keys() - {_SUMMARY, _KIND}
        columns = {name: piece if name == "content" else item for name, item in row.items() if name in kept}
        yield Said(columns, is_put_in, content if is_put_in else None)


def _is_marked(row: dict[str, Any]) -> bool:
    """Tells whether columns say that a row without words of a summary is one, or is hidden."""
    return row.get(_SUMMARY) == 1 or (row.get(_KIND) == _HIDDEN and row.get("role") == "user")


def _is_notice(row: dict[str, Any]) -> bool:
    """Tells whether the program wrote a row by itself: of one that is hidden the text says it."""
    kind = as_text(row.get(_KIND))
    if row.get("role") == "assistant":
        return kind in _NO_ANSWERS
    return kind is not None and kind not in (_HIDDEN, _STEER)


def _key(row: dict[str, Any]) -> str:
    content, time = row.get("content"), row.get("timestamp")
    moment = None if time is None else read_timestamp(time, Counter())
    same = [
        time if moment is None else moment.isoformat(),
        content.strip() if isinstance(content, str) else content,
        *(row.get(name) or None for name in _SAME),
    ]
    return hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:24]


def _decoded(content: Any) -> Any:
    """Returns content in blocks that stands in a text as JSON."""
    text = json_in(content) if isinstance(content, str) else None
    if text is None:
        return content
    try:
        return parse_json(text.encode("utf-8", "surrogatepass"))[0]
    except ValueError:
        return content
