"""Takeout's "My Activity" of the Gemini app: a record for each prompt with its answer, in no conversation.

What is no prompt (a canvas that was made, feedback) is a dialogue without messages: it is counted, and nothing is lost.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from archive_pipeline.domain.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    PartRecord,
    PartType,
    RejectedRecord,
)
from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.gemini.answers import answer_parts
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text
from archive_pipeline.readers.timestamps import read_timestamp

NO_PROMPT: Final = "activity_without_prompt"
_PRODUCT: Final = re.compile(r"\b(?:Gemini|Bard)\b", re.IGNORECASE)
# A prompt may begin with a word of these: only what Takeout writes before it is taken off.
_VERB: Final = re.compile(
    r"(?:(?:Prompted with|Asked Bard|Asked Gemini):|(?:Prompted|Asked|Said|Branched|Answered)\b:?)\s+"
)
_ATTACHED: Final = re.compile(r"\s*\bAttached \d+ files?\.?\s*$")
_LONGEST_TITLE: Final = 100
_PROMPT: Final = "prompt"


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges a record of activity by its product: those of Search and YouTube look the same."""
    if "title" not in value or not ("time" in value or "products" in value):
        return Evidence(0.0, "no conversation_turns, and no activity with a title and a time")
    named = [value.get("header"), *as_list(value.get("products"))]
    if any(isinstance(name, str) and _PRODUCT.search(name) for name in named):
        return Evidence(1.0, "activity of Gemini")
    return Evidence(0.0, "activity of another product than Gemini")


def read_activity(value: Mapping[str, Any], locator: str, source: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a record: the prompt and its answer; or why it is none."""
    if not recognise(value).is_enough:
        return RejectedRecord(locator, "the record is no activity of Gemini", "missing header or products")
    warnings: Counter[str] = Counter()
    fields = Fields(value)
    moment = read_timestamp(value.get("time"), warnings)
    said = as_text(value.get("title")) or ""
    parts = answer_parts(fields)
    prompt = _prompt(said, has_answer=bool(parts))
    messages: list[MessageRecord] = []
    if prompt is not None:
        messages.append(_question(fields, prompt, moment))
    if parts:
        parent = _PROMPT if messages else None
        messages.append(MessageRecord("answer", parent, "assistant", tuple(parts), created_at=moment))
    warnings[NO_PROMPT] += not messages
    return DialogueRecord(
        source=source,
        source_id=_source_id(moment, said),
        locator=locator,
        title=_title(prompt or said),
        created_at=moment,
        updated_at=moment,
        messages=tuple(messages),
        warnings=+warnings,
        source_json=fields.fields_left(),
    )


def _source_id(moment: datetime | None, said: str) -> str | None:
    """Returns what tells a record in every export: its time and, as several may have one time, its title."""
    if moment is None:
        return None
    return f"{moment.isoformat()}-{hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _prompt(said: str, *, has_answer: bool) -> str | None:
    """Returns what was asked; in other languages than English only an answer tells that it is a prompt."""
    verb = _VERB.match(said)
    if verb is None and not has_answer:
        return None
    text = said[verb.end() :] if verb is not None else said
    return _ATTACHED.sub("", text) or None


def _title(text: str) -> str | None:
    line = next(iter(text.strip().splitlines()), "")
    return (line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1]}…") or None


def _question(fields: Fields, prompt: str, moment: datetime | None) -> MessageRecord:
    """Takes the title, which stays as it is where the prompt is less, and the files."""
    said = fields.take_text("title")
    return MessageRecord(
        _PROMPT,
        None,
        "user",
        (PartRecord(PartType.TEXT, prompt, "title"),),
        tuple(_files(fields)),
        created_at=moment,
        source={"title": said} if said != prompt else None,
    )


def _files(fields: Fields) -> list[AttachmentRecord]:
    files = [_subtitle(item) for item in as_list(fields.fields_left().get("subtitles")) if _names_file(as_object(item))]
    fields.put_back("subtitles", [item for item in fields.take_items("subtitles") if not _names_file(as_object(item))])
    known = {file.file_name for file in files}
    for name in ("attachedFiles", "imageFile"):
        items = fields.take_items(name)
        named = [item for item in items if as_text(item)]
        files += [AttachmentRecord(file_name=item, source={name: item}) for item in named if item not in known]
        known.update(named)
        fields.put_back(name, [item for item in items if not as_text(item) and not is_empty(item)])
    return files


def _names_file(item: Mapping[str, Any]) -> bool:
    name = as_text(item.get("name"))
    return name is not None and _ATTACHED.fullmatch(name) is None


def _subtitle(item: Mapping[str, Any]) -> AttachmentRecord:
    fields = Fields(item)
    return AttachmentRecord(file_name=fields.take_text("name"), uri=fields.take_text("url"), source=fields.rest())
