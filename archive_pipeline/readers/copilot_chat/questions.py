"""What VS Code asks the user in the middle of an answer, with what the user says to it.

Both are its own form, which stays: the text is there for people and for search.
"""

from __future__ import annotations

from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.copilot_chat.texts import take_markdown
from archive_pipeline.readers.json.fields import Fields
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, joined

QUESTIONS: Final = "questionCarousel"
PLAN: Final = "planReview"


def questions_part(fields: Fields) -> PartRecord:
    """Returns questions, each with the answer to it behind it."""
    fields.take("kind")
    answers = as_object(fields.fields_left().get("data"))
    texts = [take_markdown(fields, ("message",))]
    for question in map(as_object, as_list(fields.fields_left().get("questions"))):
        texts += [_markdown(question.get("title")), _markdown(question.get("message"))]
        texts += _said(answers.get(as_identifier(question.get("id")) or ""))
    return PartRecord(PartType.CONTEXT, joined(dict.fromkeys(texts)), QUESTIONS, source=fields.rest())


def plan_part(fields: Fields) -> PartRecord:
    """Returns a plan and what the user says to it."""
    fields.take("kind")
    texts = [take_markdown(fields, ("title",)), take_markdown(fields, ("content",))]
    feedback = as_text(as_object(fields.fields_left().get("data")).get("feedback"))
    return PartRecord(PartType.CONTEXT, joined([*texts, feedback]), PLAN, source=fields.rest())


def _said(answer: Any) -> list[str | None]:
    chosen = as_object(answer)
    several = map(as_text, as_list(chosen.get("selectedValues")))
    return [as_text(answer), as_text(chosen.get("selectedValue")), *several, as_text(chosen.get("freeformValue"))]


def _markdown(value: Any) -> str | None:
    return as_text(value) or as_text(as_object(value).get("value"))
