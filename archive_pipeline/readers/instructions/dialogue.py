"""One record of a dataset to a dialogue record: what is asked is a message of the user, each answer one of the model.

The messages are read as those of arrays are, so that thoughts, pictures and ids are the same in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.chat_lines.arrays import ChatArrays, Message, Way
from archive_pipeline.readers.chat_lines.dialogue import read_arrays
from archive_pipeline.readers.chat_lines.messages import OPENAI
from archive_pipeline.readers.instructions.forms import Form, answers, form_of, question, transcripts
from archive_pipeline.readers.instructions.transcripts import turns_of
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_text

SOURCE: Final = "instructions"
_SYSTEM: Final = "system_prompt"
_HISTORY: Final = "history"
_PROMPT: Final = "prompt"
_PAIR: Final = ("user", "assistant")
_Said = tuple[str, Message]


def read_record(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a record, or why it is none."""
    whole = transcripts(value)
    if whole:
        arrays = _of_transcripts(value, whole)
    elif (form := form_of(value)) is not None:
        arrays = _Parts(value).arrays(form)
    else:
        return RejectedRecord(
            locator, "the record has no text that is asked", "missing instruction, prompt or question"
        )
    return read_arrays(value, arrays, locator, SOURCE, OPENAI)


def _of_transcripts(value: Mapping[str, Any], whole: list[tuple[str, list[tuple[str, str]]]]) -> ChatArrays:
    """Returns the ways of transcripts, which stay beside their turns."""
    ways = [Way(tuple((name, _message(role, text)) for role, text in turns)) for name, turns in reversed(whole)]
    return ChatArrays(tuple(ways), dict(value), 0)


class _Parts:
    """Takes the messages out of the fields of a record."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value
        self._beside = dict(value)
        self._unread = 0

    def arrays(self, form: Form) -> ChatArrays:
        """Returns a way for each answer, the preferred one last; what was said before is in all of them."""
        stem = [*self._system(), *self._history(), *self._question(form)]
        said = answers(self._value, form)
        ways = [Way((*stem, (name, _message("assistant", text)))) for name, text in reversed(said)] or [Way((*stem,))]
        for name in {name for name, _ in said}:
            del self._beside[name]
        for name in form.about:
            if name in self._beside and is_empty(self._beside[name]):
                del self._beside[name]
        return ChatArrays(tuple(ways), self._beside, self._unread)

    def _system(self) -> Iterator[_Said]:
        if (text := as_text(self._beside.get(_SYSTEM))) is not None:
            del self._beside[_SYSTEM]
            yield _SYSTEM, _message("system", text)

    def _question(self, form: Form) -> Iterator[_Said]:
        texts = question(self._value, form)
        if form.asked == _PROMPT and (turns := turns_of(texts[0][1])):
            yield from ((form.asked, _message(role, text)) for role, text in turns)
            return  # the transcript stays beside its turns
        for name, _ in texts:
            del self._beside[name]
        yield form.asked, _message("user", [text for _, text in texts])

    def _history(self) -> Iterator[_Said]:
        """Takes earlier turns: pairs of texts, or messages; what is neither stays."""
        history = self._beside.get(_HISTORY)
        if not isinstance(history, list):
            return
        unread = []
        for item in history:
            if (pair := _pair(item)) is not None:
                yield from ((_HISTORY, _message(role, text)) for role, text in zip(_PAIR, pair, strict=True) if text)
            elif isinstance(item, dict) and isinstance(item.get("role"), str):
                yield _HISTORY, item
            else:
                unread.append(item)
        self._unread += len(unread)
        self._beside[_HISTORY] = unread
        if not any(not is_empty(item) for item in unread):
            del self._beside[_HISTORY]


def _pair(item: object) -> list[str | None] | None:
    """Returns the texts of a question and its answer, either of which may be missing; None if it is no such pair."""
    if not isinstance(item, list) or len(item) != len(_PAIR):
        return None
    texts = [text for text in item if text is None or isinstance(text, str)]
    return texts if len(texts) == len(_PAIR) else None


def _message(role: str, content: str | list[str]) -> dict[str, Any]:
    return {"role": role, "content": content}
