"""``message_chunks``: what messages say that is in no question-answer pair, in pieces that are embedded and searched.

Seed 004 leaves out a user's message that no answer follows, and what an assistant says before it goes on. Decision 31
has them found all the same, with artifacts and code, which are no text of their message.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from archive_pipeline.derive.asset import TEXT, DerivedAsset
from archive_pipeline.derive.chunk_rows import CHUNK_COLUMNS, chunk_values
from archive_pipeline.derive.dialogue_pages import page_of_messages
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.known_shingles import Shingles, is_known
from archive_pipeline.derive.message_texts import dialogue_languages
from archive_pipeline.derive.qa_pairs import turns_of
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.frames import frame_of_rows
from archive_pipeline.domain.identity import row_id
from archive_pipeline.text.chunks import Piece, split_into_pieces
from archive_pipeline.text.citation_marks import Unmarked, has_marks, without_marks
from archive_pipeline.text.runtime import UNICODE, chunking_runtime

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "3"
# Who speaks to whom; instructions and what tools wrote are not what was talked about.
_SPEAKERS: Final = frozenset({"user", "assistant"})

_COLUMNS: Final = ("chunk_id", "dialogue_id", "message_id", "part_id", *CHUNK_COLUMNS)


@dataclass(frozen=True, slots=True)
class _Said:
    """A text that is in no pair: of a message by its position, or of a part of it.

    ``shown`` is what readers see of it, ``unmarked`` where that is in the text, None where they are the same.
    """

    message: int
    part_id: str | None
    shown: str
    unmarked: Unmarked | None


def message_chunks(batch: DialogueBatch, chunk_tokens: int) -> pd.DataFrame:
    """Return the chunks of what the messages of the batch say in no pair.

    Args:
        batch: the dialogues.
        chunk_tokens: most tokens of a chunk.
    """
    said = [*_texts(batch), *_artifacts(batch)]
    # Of most chats all is in pairs: languages and pages are told where there is something to cut.
    rows = list(_rows(batch, said, chunk_tokens)) if said else []
    return frame_of_rows(_COLUMNS, rows)


def _rows(batch: DialogueBatch, said: Sequence[_Said], chunk_tokens: int) -> Iterator[tuple[object, ...]]:
    pieces = _pieces(batch, said, chunk_tokens)
    marks = _repeated(batch, said, pieces)
    pages = page_of_messages(batch)
    for text, own, repeated in zip(said, pieces, marks, strict=True):
        message_id, dialogue = batch.message_ids[text.message], batch.dialogue_of_message[text.message]
        for index, values in enumerate(chunk_values(own, repeated, text.unmarked, pages[text.message])):
            chunk_id = row_id("message_chunk", text.part_id or message_id, str(index))
            yield chunk_id, dialogue, message_id, text.part_id, *values


def _texts(batch: DialogueBatch) -> Iterator[_Said]:
    """Yield the visible texts of messages that neither ask nor answer in a turn; of unfinished ones, too."""
    paired = {position for turn in turns_of(batch) for position in (turn.question, turn.answer)}
    for position, text in enumerate(batch.text):
        if text is not None and position not in paired and batch.role[position] in _SPEAKERS:
            yield _said(position, None, text)


def _artifacts(batch: DialogueBatch) -> Iterator[_Said]:
    artifacts = batch.artifacts
    for message, part_id, text in zip(artifacts.message, artifacts.part_id, artifacts.text, strict=True):
        if not batch.is_hidden[message]:
            yield _said(message, part_id, text)


def _said(message: int, part_id: str | None, text: str) -> _Said:
    unmarked = Unmarked(text) if has_marks(text) else None
    return _Said(message, part_id, text if unmarked is None else unmarked.text, unmarked)


def _pieces(batch: DialogueBatch, said: Sequence[_Said], chunk_tokens: int) -> list[list[Piece]]:
    """Return the chunks of each text; texts that are equal are cut once."""
    languages = dialogue_languages(batch)
    texts = [(each.shown, languages[batch.dialogue[each.message]]) for each in said]
    different = list(dict.fromkeys(texts))
    cut = dict(zip(different, split_into_pieces(different, chunk_tokens), strict=True))
    return [cut[text] for text in texts]


def _repeated(batch: DialogueBatch, said: Sequence[_Said], pieces: Sequence[Sequence[Piece]]) -> list[list[bool]]:
    """Tell which chunks of artifacts say nothing new: the text of their message may have them, and so may versions.

    Each version of an artifact has most of the one before, and the last one is what people look for.
    """
    marks = [[False] * len(own) for own in pieces]
    on_primary_path = forest_of(batch).on_primary_path
    artifacts = [number for number, text in enumerate(said) if text.part_id is not None]
    artifacts.sort(key=lambda number: (not on_primary_path[said[number].message], -number))
    beside = {number: _text_beside(batch, said[number].message) for number in artifacts}
    compared = [piece.text for number in artifacts for piece in pieces[number]]
    shingles = Shingles([*(said[number].shown for number in artifacts), *beside.values(), *compared])
    known: dict[int, set[int]] = defaultdict(set)
    for number in artifacts:
        own = known[batch.dialogue[said[number].message]]
        if beside[number]:
            own |= shingles.of(beside[number])
        marks[number] = [is_known(shingles.of(piece.text), own) for piece in pieces[number]]
        own |= shingles.of(said[number].shown)
    return marks


def _text_beside(batch: DialogueBatch, message: int) -> str:
    """Return what readers see of the text of an artifact's message, empty if it is not searched."""
    text = batch.text[message] if batch.role[message] in _SPEAKERS else None
    return without_marks(text) if text else ""


ASSET: Final = DerivedAsset(
    name="message_chunks",
    of=DialogueBatch,
    tables=("message_chunks",),
    upstream=("qa_pairs", "dialogue_pages"),
    derive=lambda batch, settings: {"message_chunks": message_chunks(batch, settings.chunk_tokens)},
    code_version=CODE_VERSION,
    setting_version=lambda settings: f"tokens={settings.chunk_tokens}",
    runtime_version=lambda: f"{UNICODE},{chunking_runtime()}",
    description="A prompt without an answer, what is said between calls of tools, artifacts and code are found, too.",
    reads=("messages", "content_parts"),
    lineage={
        "message_id": ("qa_pairs.source_message_id",),
        "part_id": ("raw/content_parts.id",),
        "text": TEXT,
        "page": ("dialogue_pages.page",),
    },
)
