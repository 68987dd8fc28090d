"""Conversations with the Gemini app, as Google Takeout gives them."""

from collections.abc import Mapping
from typing import Any

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.declaration import Evidence, Reader
from archive_pipeline.readers.gemini import activity, conversation

SOURCE = "gemini"


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its turns, or by the product that a record of activity names."""
    return conversation.recognise(value) if conversation.TURNS in value else activity.recognise(value)


def read(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a conversation or of a record of activity, or why it is none."""
    if conversation.TURNS in value:
        return conversation.read_conversation(value, locator, SOURCE)
    return activity.read_activity(value, locator, SOURCE)


READER = Reader(SOURCE, "Gemini app, of Google Takeout (MyActivity.json, conversation_….txt)", 1, recognise, read)
