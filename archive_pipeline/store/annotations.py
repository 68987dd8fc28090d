"""Writing and reading what a person says about dialogues and messages; no import and no build touches it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

import psycopg
from psycopg.rows import class_row

from archive_pipeline.domain.identity import row_id
from archive_pipeline.errors import ConfigurationError, UnknownDialogueError
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.text.sanitize import clean_text

Kind = Literal["tag", "note", "chosen", "rejected", "never_export"]


@dataclass(frozen=True, slots=True)
class Annotation:
    """What is said.

    Attributes:
        kind: a tag or note of a dialogue or message; a message that was chosen or rejected; a dialogue that is never
            exported.
        text: the tag or note, None for other kinds.
        message_id: the message, None for the dialogue.
        created_at: when it was set; None before it is stored.
    """

    kind: Kind
    text: str | None = None
    message_id: str | None = None
    created_at: datetime | None = None

    def __post_init__(self) -> None:
        """Check that the parts belong together.

        Raises:
            ConfigurationError: they do not.
        """
        if self.kind not in get_args(Kind):
            raise ConfigurationError(f"{self.kind} is no annotation; there are {', '.join(get_args(Kind))}")
        if (self.kind in {"tag", "note"}) != bool(self.text and self.text.strip()):
            raise ConfigurationError(f"{self.kind.replace('_', ' ')}: a tag and a note have a text, nothing else has")
        if self.text is not None and clean_text(self.text, Counter()) != self.text:
            raise ConfigurationError(f"{self.kind}: its text has a NUL or half a character, which cannot be stored")
        if self.kind in {"chosen", "rejected"} and self.message_id is None:
            raise ConfigurationError(f"{self.kind} is said of a message")
        if self.kind == "never_export" and self.message_id is not None:
            raise ConfigurationError("never export is said of a dialogue")


def annotate(connection: psycopg.Connection[Any], dialogue_id: str, annotation: Annotation) -> bool:
    """Say something about a dialogue or message; return False if it was said before.

    A message is chosen or rejected: one takes the other's place.

    Raises:
        UnknownDialogueError: the archive has no such dialogue, or the dialogue no such message.
    """
    other = {"chosen": "rejected", "rejected": "chosen"}.get(annotation.kind)
    if other is not None:
        connection.execute(
            load_query("annotations/delete_annotation"), {"id": _id(dialogue_id, annotation, kind=other)}
        )
    parameters = {
        "id": _id(dialogue_id, annotation),
        "dialogue_id": dialogue_id,
        "message_id": annotation.message_id,
        "kind": annotation.kind,
        "text": annotation.text,
    }
    try:
        with connection.transaction():
            return connection.execute(load_query("annotations/insert_annotation"), parameters).rowcount == 1
    except (psycopg.errors.ForeignKeyViolation, psycopg.errors.InvalidTextRepresentation) as error:
        about = "" if annotation.message_id is None else f", or it has no message {annotation.message_id}"
        raise UnknownDialogueError(f"no dialogue has the id {dialogue_id}{about}") from error


def remove_annotation(connection: psycopg.Connection[Any], dialogue_id: str, annotation: Annotation) -> bool:
    """Take something back; return False if it was not said."""
    found = connection.execute(load_query("annotations/delete_annotation"), {"id": _id(dialogue_id, annotation)})
    return found.rowcount == 1


def annotations_of(connection: psycopg.Connection[Any], dialogue_id: str) -> list[Annotation]:
    """Return what is said about a dialogue and its messages, the oldest first."""
    with connection.cursor(row_factory=class_row(Annotation)) as cursor:
        return cursor.execute(load_query("annotations/annotations_of"), {"dialogue_id": dialogue_id}).fetchall()


def _id(dialogue_id: str, annotation: Annotation, *, kind: str | None = None) -> str:
    return row_id(
        "annotation", dialogue_id, annotation.message_id or "", kind or annotation.kind, annotation.text or ""
    )
