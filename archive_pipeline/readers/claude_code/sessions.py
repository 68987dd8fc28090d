"""What the lines of a session say of it as a whole: its id, its times, its title."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final

from archive_pipeline.readers.claude_code.drafts import Gathered
from archive_pipeline.readers.json.shapes import as_identifier, as_text, is_uuid
from archive_pipeline.readers.timestamps import read_timestamp

# What the user called it comes before what the model did; an older version has summaries of branches.
_TITLES: Final = (("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary"))
_AGENT: Final = "-agent-"


def session_id(file: object, common: Mapping[str, Any], *, is_subagent: bool) -> str | None:
    """Returns the id of a session: the name of its file, which alone is its own where lines are copied from another.

    Ids of subagents are unique in their session, so both make theirs. A file that has another name than the product
    gives it is named by its lines if these say a UUID.
    """
    said, agent = as_text(common.get("sessionId")), as_identifier(common.get("agentId"))
    if is_subagent and agent is not None:
        return f"{said}{_AGENT}{agent}" if said is not None else f"agent-{agent}"
    name = PurePosixPath(file).stem if isinstance(file, str) else ""
    if is_uuid(name):
        return name
    return said if said is not None and is_uuid(said) else name or said


def parent_of(common: Mapping[str, Any]) -> str | None:
    """Returns the id of the session that started a subagent; None if its lines do not say which agent they are of."""
    return None if as_identifier(common.get("agentId")) is None else as_text(common.get("sessionId"))


def times_of(lines: Sequence[Any], session: str | None) -> tuple[datetime | None, datetime | None]:
    """Returns when a session began and when its last line was written.

    Lines that are copied from another session have the times they had there: they are older than the session.
    """
    objects = [line for line in lines if isinstance(line, dict)]
    times = [*_times(objects)]
    if not times:
        return None, None
    copied = [line for line in objects if line.get("forkedFrom") or line.get("sessionId") not in (None, session)]
    own = [*_times(line for line in objects if not line.get("forkedFrom") and line.get("sessionId") == session)]
    if own:
        return min(own), max(times)
    is_copy = any(line.get("forkedFrom") for line in copied)
    return max(times) if is_copy else min(times), max(times)


def _times(lines: Iterable[Mapping[str, Any]]) -> Iterator[datetime]:
    told: Counter[str] = Counter()  # by the messages that have them
    for line in lines:
        moment = read_timestamp(line.get("timestamp"), told)
        if moment is not None:
            yield moment


def title_of(found: Gathered) -> str | None:
    """Returns the latest title of a session; a summary is another session's if it is of a line that is not here."""
    titles: dict[str, str] = {}
    for line in found.events:
        kind = line.get("type") if isinstance(line, dict) else None
        for name, field in _TITLES:
            title = as_text(line.get(field)) if kind == name else None
            if title is not None and (name != "summary" or _is_here(line.get("leafUuid"), found)):
                titles[name] = title
    return next((titles[name] for name, _ in _TITLES if name in titles), None)


def _is_here(leaf: object, found: Gathered) -> bool:
    name = as_identifier(leaf)
    return name in found.message_of or name in found.passed
