"""One session of Continue to a dialogue record.

Messages follow one another: where the user edits one, Continue deletes what came after it. Files say no times but those
at which a model began and ended to think.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.continue_dev.messages import MessageReader, models_of
from archive_pipeline.readers.continue_dev.recognition import HISTORY, SOURCE
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_text, unique_messages

_FILE: Final = "file://"
# What Continue calls a session until the model has named it.
_UNTITLED: Final = frozenset({"New Session", "Untitled Session", "Failed to load session"})


def read_session(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a session, or why it is none."""
    history = value.get(HISTORY)
    if not isinstance(history, list):
        return RejectedRecord(locator, "the session has no 'history'", "missing history")
    warnings: Counter[str] = Counter()
    own = Fields(value)
    own.take(HISTORY)
    messages, left = _messages(history, _model(value, history), warnings)
    own.put_back(HISTORY, left)
    title = None if as_text(value.get("title")) in _UNTITLED else own.take_text("title")
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("sessionId")),
        locator=locator,
        title=title,
        created_at=min((item.created_at for item in messages if item.created_at is not None), default=None),
        messages=messages,
        is_linear_source=True,
        project_id=_folder(as_text(value.get("workspaceDirectory"))),
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _messages(
    history: list[Any], model: str | None, warnings: Counter[str]
) -> tuple[tuple[MessageRecord, ...], list[Any]]:
    """Returns the messages, and items that are none."""
    reader = MessageReader(history, model, warnings)
    read: list[MessageRecord] = []
    places: list[int] = []
    left: list[Any] = []
    for place, item in enumerate(history):
        is_message = isinstance(item, dict) and isinstance(item.get("message"), dict)
        made = reader.read(item) if is_message else []
        read += made
        places += [place] * len(made)
        if not made and not is_empty(item):
            warnings["malformed_message"] += not is_message
            left.append(item)
    messages, repeated = unique_messages(read, warnings)
    # An item may be two messages.
    again = dict.fromkeys(places[position] for position in repeated)
    return messages, [*left, *(history[place] for place in again)]


def _model(value: Mapping[str, Any], history: list[Any]) -> str | None:
    """Returns the model that is chosen for a session, if its answers name no other one."""
    own = as_text(value.get("chatModelTitle"))
    return own if models_of(history) <= {own} else None


def _folder(address: str | None) -> str | None:
    """Returns the path of the working folder, which extensions write as an address."""
    if address is None or not address.startswith(_FILE):
        return address
    return unquote(address.removeprefix(_FILE)) or None
