"""Takeout's "My Activity" of the Gemini app: a record for each prompt with its answer, in no conversation.

What is no prompt (a canvas that was made, feedback) is a dialogue without messages: it is counted, and nothing is lost.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
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
from archive_pipeline.readers.gemini.exchanges import take_exchange
from archive_pipeline.readers.gemini.page import MAX_TAGS, as_activity
from archive_pipeline.readers.gemini.page_times import read_time
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text, joined
from archive_pipeline.readers.pages import PAGE, RECORD
from archive_pipeline.readers.timestamps import BAD_TIMESTAMP, read_timestamp

NO_PROMPT: Final = "activity_without_prompt"
_PRODUCT: Final = re.compile(r"\b(?:Gemini|Bard)\b", re.IGNORECASE)
# A prompt may begin with a word of these: only what Takeout writes before it is taken off.
_VERB: Final = re.compile(
    r"(?:(?:Prompted with|Asked Bard|Asked Gemini):|(?:Prompted|Asked|Said|Branched|Answered|Live\s+Prompt)\b:?)\s+"
)
# What has an answer and is no prompt all the same.
_NO_PROMPT_TITLE: Final = re.compile(r"Created Gemini Canvas titled\b|Added chat from link:")
_ATTACHED: Final = re.compile(r"\s*\bAttached \d+ files?\.?\s*$")
# Subtitles may be as the lines of the page are: a dash, a no-break space, the name.
_BULLET: Final = re.compile(r"\s*(?:-\s+)?")
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
    moment = read_timestamp(value.get("time"), warnings)
    return _dialogue(Fields(value), moment, warnings, DialogueRecord(source, None, locator))


def read_record_of_page(value: Mapping[str, Any], locator: str, source: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a record of a page; its time stays open where it cannot be read without doubt."""
    fields = Fields(value)
    html = fields.take_text(RECORD)
    if html is None or html.count("<") > MAX_TAGS:
        return RejectedRecord(locator, "the record of the page is larger than any activity is", "too large")
    activity = as_activity(html)
    written = as_text(activity.get("time"))
    moment = None if written is None else read_time(written)
    warnings = Counter({BAD_TIMESTAMP: int(moment is None)})
    for name, left in fields.fields_left().items():
        activity[name if name not in activity else f"page_{name}"] = left
    record = DialogueRecord(source, None, locator, vintage=PAGE)
    return _dialogue(Fields(activity), moment, warnings, record, written)


def _dialogue(
    fields: Fields,
    moment: datetime | None,
    warnings: Counter[str],
    record: DialogueRecord,
    written: str | None = None,
) -> DialogueRecord:
    """Returns a record of activity filled in; what is written stands for a time that cannot be read."""
    said = as_text(fields.fields_left().get("title")) or ""
    exchange = take_exchange(fields)
    parts = exchange.answered or answer_parts(fields)
    titled = _prompt(said, has_answer=bool(parts))
    prompt = joined(part.text for part in exchange.asked) or titled
    messages: list[MessageRecord] = []
    if prompt is not None:
        messages.append(_question(fields, prompt, exchange.asked, moment))
    if parts:
        parent = _PROMPT if messages else None
        messages.append(MessageRecord("answer", parent, "assistant", tuple(parts), created_at=moment))
    warnings[NO_PROMPT] += not messages
    # Pages have seconds, and what is one record must have one id and one time in both formats. Records that are no
    # prompts come several a second, so theirs is exact.
    when = moment.replace(microsecond=0) if moment is not None and messages else moment
    return replace(
        record,
        source_id=_source_id(when.isoformat() if when else written, titled or said),
        title=_title(prompt or said),
        created_at=when,
        updated_at=when,
        messages=tuple(messages),
        warnings=+warnings,
        source_json=fields.fields_left(),
    )


def _source_id(when: str | None, said: str) -> str | None:
    """Returns what tells a record in every export: its time and, as several may have one time, its words.

    White space is none of them: a page breaks lines in other places.
    """
    if when is None:
        return None
    words = "".join(said.split()).encode("utf-8", "surrogatepass")
    return f"{' '.join(when.split())}-{hashlib.sha256(words).hexdigest()[:12]}"


def _prompt(said: str, *, has_answer: bool) -> str | None:
    """Returns what was asked; in other languages than English only an answer tells that it is a prompt."""
    verb = _VERB.match(said)
    if verb is None and (not has_answer or _NO_PROMPT_TITLE.match(said)):
        return None
    text = said[verb.end() :] if verb is not None else said
    return _ATTACHED.sub("", text) or None


def _title(text: str) -> str | None:
    line = next(iter(text.strip().splitlines()), "")
    return (line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1]}…") or None


def _question(fields: Fields, prompt: str, asked: list[PartRecord], moment: datetime | None) -> MessageRecord:
    """Takes the files, and the title where nothing else was asked; it stays as it is where the prompt is less."""
    said = None if asked else fields.take_text("title")
    return MessageRecord(
        _PROMPT,
        None,
        "user",
        tuple(asked) or (PartRecord(PartType.TEXT, prompt, "title"),),
        tuple(_files(fields)),
        created_at=moment,
        source={"title": said} if said is not None and said != prompt else None,
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
    """Takes the name and the address; a name that is less than the item's leaves that one as it is."""
    fields = Fields(item)
    given, uri = fields.take_text("name") or "", fields.take_text("url")
    name = _BULLET.sub("", given, count=1) or given
    rest = fields.rest()
    return AttachmentRecord(file_name=name, uri=uri, source=rest if name == given else {**(rest or {}), "name": given})
