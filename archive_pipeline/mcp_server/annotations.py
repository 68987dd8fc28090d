"""What the user says about dialogues and messages, for assistants: to read, and to write where that is allowed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from archive_pipeline.export.branches import branches, named_answer, named_message
from archive_pipeline.mcp_server.notice import NOTICE
from archive_pipeline.mcp_server.parameters import AnnotationKind, AnnotationText, KeyOrTitle, MessageName, Remove
from archive_pipeline.retrieval.reading.dialogues import Dialogue, read_dialogue
from archive_pipeline.store.annotations import Annotation, annotate, annotations_of, remove_annotation
from archive_pipeline.store.database import Database
from archive_pipeline.text.user_input import LONGEST_QUERY, check_text


@dataclass(frozen=True)
class AnnotationTools:
    """What the tools do.

    Attributes:
        database: the archive.
    """

    database: Database

    async def get_annotations(self, key_or_id: KeyOrTitle) -> dict[str, Any]:
        """Read the tags and notes of a dialogue, its chosen and rejected messages, and the names of its branches."""

        def read() -> dict[str, Any]:
            dialogue = read_dialogue(self.database, key_or_id)
            with self.database.session() as connection:
                known = annotations_of(connection, dialogue.heading.dialogue_id)
            return _as_dict(dialogue, known)

        return await asyncio.to_thread(read)

    async def annotate(
        self,
        key_or_id: KeyOrTitle,
        kind: AnnotationKind,
        text: AnnotationText = None,
        message: MessageName = None,
        remove: Remove = False,  # noqa: FBT002 (the protocol names its arguments)
    ) -> dict[str, Any]:
        """Say something about a dialogue or message for the user, or take it back; `changed` is false if it was so."""
        check_text("the text", text or "", LONGEST_QUERY)

        def write() -> dict[str, Any]:
            dialogue = read_dialogue(self.database, key_or_id)
            named = named_answer if kind in {"chosen", "rejected"} else named_message
            message_id = None if message is None else named(dialogue, message)
            said = Annotation(kind, text.strip() if kind == "tag" and text else text, message_id)
            with self.database.session() as connection:
                change = remove_annotation if remove else annotate
                is_changed = change(connection, dialogue.heading.dialogue_id, said)
                known = annotations_of(connection, dialogue.heading.dialogue_id)
            return {"changed": is_changed, **_as_dict(dialogue, known)}

        return await asyncio.to_thread(write)


def _as_dict(dialogue: Dialogue, known: Sequence[Annotation]) -> dict[str, Any]:
    ids = dialogue.batch.message_ids
    return {
        "notice": NOTICE,
        "doc_id": dialogue.heading.dialogue_id,
        "partition_key": dialogue.heading.partition_key,
        "title": dialogue.heading.title,
        "annotations": [
            {
                "kind": each.kind,
                "text": each.text,
                "message_id": each.message_id,
                "created_at": each.created_at.isoformat() if each.created_at else None,
            }
            for each in known
        ],
        "branches": [{"name": branch.name, "last_message_id": ids[branch.leaf]} for branch in branches(dialogue)],
    }
