"""A version of a message of LM Studio as a record: what a user said, or an answer with all of its steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import AttachmentRecord, MessageRecord, MessageState, PartRecord, PartType
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined
from archive_pipeline.readers.lm_studio.content import ContentReader, attached_files
from archive_pipeline.readers.lm_studio.steps import StepReader
from archive_pipeline.readers.roles import OPENAI_ROLES, read_role
from archive_pipeline.readers.timestamps import read_timestamp

_SENT: Final = "preprocessed"
# Steps are named by the millisecond at which they began, and a number.
_BEGAN: Final = re.compile(r"([0-9]{13})-.*")
_STATES: Final[Mapping[str, MessageState]] = {"userStopped": "aborted", "modelUnloaded": "aborted", "failed": "error"}


def read_version(version: Mapping[str, Any], warnings: Counter[str], *, is_shown: bool) -> MessageRecord:
    """Returns a version of a message, without its id and parent.

    Args:
        version: as the file has it.
        warnings: where what is unusual is counted.
        is_shown: the message shows this version. Only then its time is told: the primary path goes to the most recent
            leaf, which is to be the one that is shown.
    """
    fields = Fields(version)
    role = read_role(version.get("role"), OPENAI_ROLES, warnings)
    if version.get("role") == role:
        fields.take("role")
    steps = [step for step in as_list(version.get("steps")) if isinstance(step, dict)]
    sent = _as_sent(fields, version)
    files: list[AttachmentRecord] = []
    parts = (*_said(fields, files, warnings), *sent)
    sender = Fields(fields.fields_left().get("senderInfo"))
    name = sender.take_text("senderName")
    if name is not None:
        fields.fields_left()["senderInfo"] = sender.fields_left()
    model = (_model(steps) or name) if role == "assistant" else None
    return MessageRecord(
        None,
        None,
        role,
        parts,
        tuple(files),
        created_at=_began(steps) if is_shown else None,
        model=model,
        author_name=None if name == model else name,
        state=_state(steps),
        source=fields.rest(),
    )


def _said(fields: Fields, files: list[AttachmentRecord], warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes what is said: the steps of an answer, else the content; files that came with it are added to ``files``."""
    content = ContentReader(warnings)
    if isinstance(fields.fields_left().get("steps"), list):
        reader = StepReader(content, fields.take_items("steps"))
        parts = list(reader.parts())
        fields.put_back("steps", reader.others)
        yield from parts
        if parts:
            warnings["unread_text"] += not is_empty(fields.fields_left().get("content"))
            return
    items = fields.take_items("content")
    found, others = attached_files(items)
    files += found
    yield from content.parts(others)


def _as_sent(fields: Fields, version: Mapping[str, Any]) -> tuple[PartRecord, ...]:
    """Takes what the model was given in the place of what the user said; a copy of that is no part."""
    sent = as_object(version.get(_SENT))
    items = sent.get("content")
    if not isinstance(items, list):
        return ()
    if sent == {"role": version.get("role"), "content": version.get("content")}:
        fields.take(_SENT)
        return ()
    text = joined(as_text(as_object(item).get("text")) for item in items)
    return (PartRecord(PartType.CONTEXT, text, _SENT, source=fields.take(_SENT)),)


def _began(steps: Iterable[Mapping[str, Any]]) -> datetime | None:
    names = (as_text(step.get("stepIdentifier")) or "" for step in steps)
    found = next((began for name in names if (began := _BEGAN.fullmatch(name)) is not None), None)
    return None if found is None else read_timestamp(int(found[1]), Counter())


def _model(steps: Iterable[Mapping[str, Any]]) -> str | None:
    about = (as_object(step.get("genInfo")) for step in steps)
    return next((model for made in about if (model := as_text(made.get("identifier"))) is not None), None)


def _state(steps: Iterable[Mapping[str, Any]]) -> MessageState:
    """Returns how the last generation of an answer ended."""
    stats = (as_object(as_object(step.get("genInfo")).get("stats")) for step in steps)
    ends = [reason for made in stats if (reason := as_text(made.get("stopReason"))) is not None]
    return _STATES.get(ends[-1], "complete") if ends else "complete"
