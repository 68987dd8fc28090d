"""A session of Copilot Chat to a dialogue record: requests, each with its answer, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.copilot_chat.log import replayed
from archive_pipeline.readers.copilot_chat.messages import answer_id, read_request, uuid_of
from archive_pipeline.readers.copilot_chat.recognition import REQUESTS
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import DUPLICATE_MESSAGE, as_identifier, as_text
from archive_pipeline.readers.json_lines import LINES, without_lines
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "copilot_chat"


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session or of the log of one, or why it is none."""
    if LINES not in value:
        return _dialogue(value, {}, locator, Counter())
    if not isinstance(value[LINES], list):
        return without_lines(locator)
    warnings: Counter[str] = Counter()
    log = replayed(value[LINES], warnings)
    if log.session is None:
        return RejectedRecord(locator, "no line of the log has the session", "missing snapshot")
    beside = {name: item for name, item in value.items() if name != LINES}
    kept = {LINES: log.lines, "replaced": log.replaced, "changed": sorted(log.changed)}
    beside |= {name: items for name, items in kept.items() if items}
    return _dialogue(log.session, beside, locator, warnings)


def _dialogue(
    session: Mapping[str, Any], beside: Mapping[str, Any], locator: str, warnings: Counter[str]
) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session.

    Args:
        session: the session.
        beside: what is to be kept of the log that it is of.
        locator: where it stands.
        warnings: where what is unusual is counted.
    """
    requests = session.get(REQUESTS)
    if not isinstance(requests, list):
        return RejectedRecord(locator, "the session has no 'requests', so no messages", "missing requests")
    found = [request for request in requests if isinstance(request, dict) and request]
    unread = [request for request in requests if not isinstance(request, dict) and not is_empty(request)]
    warnings["malformed_message"] += len(unread)
    messages, repeated = _messages(found, warnings)
    kept = {REQUESTS: [*unread, *repeated]} if unread or repeated else {}
    source = {name: item for name, item in session.items() if name != REQUESTS}
    created = read_timestamp(session.get("creationDate"), warnings)
    first = next((uuid_of(request.get("requestId")) for request in found), None)
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(session.get("sessionId")) or first,
        locator=locator,
        title=as_text(session.get("customTitle")) or as_text(session.get("computedTitle")),
        created_at=created or min(_times(messages), default=None),
        updated_at=max([*_times(messages), *_last(session, warnings)], default=created),
        messages=messages,
        project_id=as_text(session.get("workingDirectory")),
        warnings=+warnings,
        source_json={**source, **kept, **({"log": beside} if beside else {})},
    )


def _messages(
    requests: Iterable[Mapping[str, Any]], warnings: Counter[str]
) -> tuple[tuple[MessageRecord, ...], list[Any]]:
    """Returns the messages of requests; of those with an id that was there before only what says something else.

    An answer with the id of one before it has the id of one that has none: only a request tells that it was there.
    """
    messages: list[MessageRecord] = []
    seen: dict[str, Mapping[str, Any]] = {}
    repeated: list[Any] = []
    for number, request in enumerate(requests, 1):
        read = read_request(request, number, messages[-1].source_id if messages else None, warnings)
        for answer in read[1:]:
            answer.source_id = answer_id(str(read[0].source_id)) if answer.source_id in seen else answer.source_id
        ids = [str(message.source_id) for message in read]
        before = next((seen[name] for name in ids if name in seen), None)
        if before is None:
            seen.update(dict.fromkeys(ids, request))
            messages += read
            continue
        warnings[DUPLICATE_MESSAGE] += 1
        if before != request:
            repeated.append(request)
    return tuple(messages), repeated


def _times(messages: Iterable[MessageRecord]) -> list[datetime]:
    times = (moment for message in messages for moment in (message.created_at, message.updated_at))
    return [moment for moment in times if moment is not None]


def _last(session: Mapping[str, Any], warnings: Counter[str]) -> list[datetime]:
    moment = read_timestamp(session.get("lastMessageDate"), warnings)
    return [moment] if moment is not None else []
