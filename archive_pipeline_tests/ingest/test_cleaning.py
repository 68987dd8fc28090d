"""Messages are cleaned field by field, whether one look at all of them shows that they are clean or not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import AttachmentRecord, MessageRecord, PartRecord, PartType
from archive_pipeline.ingest.cleaning import clean_messages
from archive_pipeline.text.sanitize import clean_optional, json_text

PIECES = st.sampled_from(["a", "é", "\0", "\ud800", "\ude00", "\\u0000", '"', "😀"])
TEXTS = st.none() | st.lists(PIECES, max_size=3).map("".join)
SOURCES = st.none() | st.dictionaries(st.sampled_from(["a", "b\0"]), TEXTS, max_size=2)
PARTS = st.builds(
    PartRecord,
    st.just(PartType.TEXT),
    text=TEXTS,
    source_type=TEXTS,
    tool_name=TEXTS,
    tool_use_id=TEXTS,
    tool_input=SOURCES,
    language=TEXTS,
    mime_type=TEXTS,
    uri=TEXTS,
    source=SOURCES,
)
FILES = st.builds(
    AttachmentRecord,
    source_id=TEXTS,
    file_name=TEXTS,
    mime_type=TEXTS,
    uri=TEXTS,
    extracted_text=TEXTS,
    source=SOURCES,
)
MESSAGES = st.builds(
    MessageRecord,
    TEXTS,
    TEXTS,
    st.just("user"),
    st.lists(PARTS, max_size=2).map(tuple),
    st.lists(FILES, max_size=2).map(tuple),
    model=TEXTS,
    author_name=TEXTS,
    recipient=TEXTS,
    channel=TEXTS,
    source=SOURCES,
)


def _with_clean(record, texts: tuple[str, ...], values: tuple[str, ...], counts: Counter[str], **others):
    clean = {name: clean_optional(getattr(record, name), counts) for name in texts}
    as_json = {name: json_text(getattr(record, name), counts) for name in values}
    return replace(record, **clean, **as_json, **others)


def _part(part: PartRecord, counts: Counter[str]) -> PartRecord:
    texts = ("text", "source_type", "tool_name", "tool_use_id", "language", "mime_type", "uri")
    return _with_clean(part, texts, ("tool_input", "source"), counts)


def _file(file: AttachmentRecord, counts: Counter[str]) -> AttachmentRecord:
    return _with_clean(file, ("source_id", "file_name", "mime_type", "uri", "extracted_text"), ("source",), counts)


def _message(message: MessageRecord, counts: Counter[str]) -> MessageRecord:
    texts = ("source_id", "parent_source_id", "model", "author_name", "recipient", "channel")
    parts = tuple(_part(part, counts) for part in message.parts)
    files = tuple(_file(file, counts) for file in message.attachments)
    return _with_clean(message, texts, ("source",), counts, parts=parts, attachments=files)


@given(messages=st.lists(MESSAGES, max_size=3))
def test_each_field_is_cleaned_and_counted_as_if_by_itself(messages: list[MessageRecord]):
    counts, expected_counts = Counter(), Counter()
    expected = tuple(_message(message, expected_counts) for message in messages)
    assert clean_messages(messages, counts) == expected
    assert counts == expected_counts


def test_text_that_spells_the_escape_of_nul_stays():
    message = MessageRecord("a", None, "user", (PartRecord(PartType.TEXT, "\\u0000"),))
    counts = Counter()
    assert clean_messages([message], counts) == (message,)
    assert not counts


def test_half_a_character_in_one_field_is_replaced():
    message = MessageRecord("a", None, "user", model="m\ud800")
    counts = Counter()
    assert clean_messages([message], counts)[0].model == "m\ufffd"
    assert counts == {"sanitized_surrogate": 1}
