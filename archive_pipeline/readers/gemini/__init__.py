"""Conversations with the Gemini app, as Google Takeout gives them."""

from collections.abc import Mapping
from typing import Any

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.declaration import Evidence, Reader
from archive_pipeline.readers.gemini import activity, conversation
from archive_pipeline.readers.gemini.page import PAGE_READER
from archive_pipeline.readers.pages import PAGE

SOURCE = "gemini"


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its turns, or by the product that a record of activity names."""
    if value.get(PAGE) == SOURCE:
        return Evidence(1.0, "a record of a page of Gemini's activity")
    return conversation.recognise(value) if conversation.TURNS in value else activity.recognise(value)


def read(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a conversation or of a record of activity, or why it is none."""
    if value.get(PAGE) == SOURCE:
        return activity.read_record_of_page(value, locator, SOURCE)
    if conversation.TURNS in value:
        return conversation.read_conversation(value, locator, SOURCE)
    return activity.read_activity(value, locator, SOURCE)


READER = Reader(
    SOURCE,
    "Gemini app, of Google Takeout (MyActivity.json or .html, conversation_….txt)",
    4,
    recognise,
    read,
    page=PAGE_READER,
)
