"""The names that datasets have for what is asked, what it is about, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.readers.instructions.transcripts import turns_of
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_text

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of one form.

    Attributes:
        asked: what is asked.
        about: what the question is about, behind it in the same message.
        answered: what may hold the answer, the first of them that does.
    """

    asked: str
    about: tuple[str, ...]
    answered: tuple[str, ...]


FORMS: Final = (
    Form("instruction", ("input", "context"), ("output", "response")),
    Form("prompt", (), ("completion", "response")),
    Form("question", ("context",), ("answer", "response")),
    Form("query", (), ("response",)),
)
# The answer that is preferred comes first.
_PREFERENCES: Final = (
    ("chosen", "rejected"),
    ("chosen_response", "rejected_response"),
    ("response", "rejected_response"),
)
CHOSEN: Final = _PREFERENCES[0]
NAMES: Final = frozenset({*(form.asked for form in FORMS), *CHOSEN})


def form_of(value: Record) -> Form | None:
    """Returns the form of a record: the first whose question is there, of those with an answer if there is one."""
    asked = [form for form in FORMS if question(value, form)]
    return next((form for form in asked if answers(value, form)), asked[0] if asked else None)


def question(value: Record, form: Form) -> list[tuple[str, str]]:
    """Returns the texts of what is asked, each with its field; none where the field of the question is no text."""
    if not isinstance(value.get(form.asked), str):
        return []
    return [(name, text) for name in (form.asked, *form.about) if (text := as_text(value.get(name))) is not None]


def answers(value: Record, form: Form) -> list[tuple[str, str]]:
    """Returns the answers, the preferred one first, each with its field."""
    for names in _PREFERENCES:
        said = [(name, text) for name in names if (text := as_text(value.get(name))) is not None]
        if len(said) == len(names):
            return said
    found = ((name, _texts(value.get(name))) for name in form.answered)
    return next(([(name, text) for text in texts] for name, texts in found if texts), [])


def is_unanswered(value: Record, form: Form) -> bool:
    """Tells whether a record has the field of an answer, and nothing in it."""
    return any(name in value and is_empty(value[name]) for name in form.answered)


def transcripts(value: Record) -> list[tuple[str, list[tuple[str, str]]]]:
    """Returns the conversations of a preference without a prompt, each as one text with all turns, and its field."""
    found = [(name, turns_of(text)) for name in CHOSEN if (text := as_text(value.get(name))) is not None]
    whole = [(name, turns) for name, turns in found if turns]
    return whole if len(whole) == len(CHOSEN) else []


def _texts(said: object) -> list[str]:
    """Returns the texts of a field: one, or a list of several answers, of which the first is preferred."""
    items = said if isinstance(said, list) else [said]
    texts = [text for item in items if (text := as_text(item)) is not None]
    return texts if len(texts) == len(items) else []
