"""The seed's ``PromptResponseBuilder``: a prompt for every assistant message, and the texts of both in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from benchmarks.seed_builders.models import Message, PromptResponse
from benchmarks.seed_builders.trees import BATCH_SIZE

CONTENT_SQL: Final = text("""
    INSERT INTO seed_derived.prompt_response_content
        (prompt_response_id, prompt_text, response_text, prompt_word_count, response_word_count)
    SELECT
        pr.id,
        (SELECT string_agg(cp.text_content, ' ' ORDER BY cp.sequence)
         FROM raw.content_parts cp
         WHERE cp.message_id = pr.prompt_message_id),
        (SELECT string_agg(cp.text_content, ' ' ORDER BY cp.sequence)
         FROM raw.content_parts cp
         WHERE cp.message_id = pr.response_message_id),
        (SELECT sum(array_length(string_to_array(cp.text_content, ' '), 1))
         FROM raw.content_parts cp
         WHERE cp.message_id = pr.prompt_message_id),
        (SELECT sum(array_length(string_to_array(cp.text_content, ' '), 1))
         FROM raw.content_parts cp
         WHERE cp.message_id = pr.response_message_id)
    FROM seed_derived.prompt_responses pr
    WHERE pr.dialogue_id = :dialogue_id
    ON CONFLICT (prompt_response_id) DO UPDATE SET
        prompt_text = EXCLUDED.prompt_text,
        response_text = EXCLUDED.response_text,
        prompt_word_count = EXCLUDED.prompt_word_count,
        response_word_count = EXCLUDED.response_word_count
""")


class PromptResponseBuilder:
    """Builds prompt-response pairs from parent pointers."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def build(self, dialogue_ids: Sequence[UUID], batch_size: int = BATCH_SIZE) -> None:
        """Build pairs and their content for the dialogues, committing once a batch."""
        for i, dialogue_id in enumerate(dialogue_ids):
            self.build_for_dialogue(dialogue_id)
            if (i + 1) % batch_size == 0:
                self.session.commit()
        self.session.commit()

    def build_for_dialogue(self, dialogue_id: UUID) -> None:
        """Pair every assistant message of the dialogue with its prompt."""
        messages = (
            self.session.query(Message)
            .filter(Message.dialogue_id == dialogue_id)
            .filter(Message.deleted_at.is_(None))
            .order_by(Message.created_at.nulls_first(), Message.id)
            .all()
        )
        msg_by_id = {m.id: m for m in messages}
        position_by_id = {m.id: i for i, m in enumerate(messages)}
        last_user_msg = None
        for msg in messages:
            if msg.role == "user":
                last_user_msg = msg
                continue
            if msg.role in ("system", "tool", "tool_result"):
                continue
            prompt_msg = self._find_prompt(msg, msg_by_id, last_user_msg)
            if prompt_msg:
                self._create_prompt_response(
                    dialogue_id=dialogue_id,
                    prompt_msg=prompt_msg,
                    response_msg=msg,
                    prompt_position=position_by_id[prompt_msg.id],
                    response_position=position_by_id[msg.id],
                )
        self.session.flush()
        self._build_content(dialogue_id)

    def _find_prompt(
        self, response_msg: Message, msg_by_id: dict[UUID, Message], last_user_msg: Message | None
    ) -> Message | None:
        """Find the user prompt that elicited this response: up the tree, else the most recent user message."""
        if response_msg.parent_id and response_msg.parent_id in msg_by_id:
            parent = msg_by_id[response_msg.parent_id]
            if parent.role == "user":
                return parent
            current = parent
            visited = {response_msg.id}
            while current and current.id not in visited:
                visited.add(current.id)
                if current.role == "user":
                    return current
                if current.parent_id and current.parent_id in msg_by_id:
                    current = msg_by_id[current.parent_id]
                else:
                    break
        return last_user_msg

    def _create_prompt_response(
        self,
        *,
        dialogue_id: UUID,
        prompt_msg: Message,
        response_msg: Message,
        prompt_position: int,
        response_position: int,
    ) -> None:
        self.session.add(
            PromptResponse(
                dialogue_id=dialogue_id,
                prompt_message_id=prompt_msg.id,
                response_message_id=response_msg.id,
                prompt_position=prompt_position,
                response_position=response_position,
                prompt_role=prompt_msg.role,
                response_role=response_msg.role,
            )
        )

    def _build_content(self, dialogue_id: UUID) -> None:
        """Build content records for all prompt-responses in a dialogue."""
        self.session.execute(CONTENT_SQL, {"dialogue_id": dialogue_id})
