"""``qa_chunks``: the texts of question-answer pairs in pieces that are embedded and searched (seed 004).

Question and answer are chunked independently. A chunk is known by pair, side and place, its text by ``content_hash``:
the question of regenerated answers is in several pairs, and is cut and embedded once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.derive.chunk_rows import CHUNK_COLUMNS, chunk_values
from archive_pipeline.derive.dialogue_pages import page_of_messages
from archive_pipeline.derive.known_shingles import Shingles, is_known
from archive_pipeline.derive.message_texts import dialogue_languages
from archive_pipeline.derive.qa_pairs import NO_RESULT_CONTENT, Pair, find_pairs
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.frames import frame_of_rows
from archive_pipeline.domain.identity import row_id
from archive_pipeline.text.chunks import Piece, split_into_pieces
from archive_pipeline.text.citation_marks import Unmarked, has_marks
from archive_pipeline.text.runtime import UNICODE, chunking_runtime

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "7"
QUESTION: Final = "question"
ANSWER: Final = "answer"

_COLUMNS: Final = ("chunk_id", "pair_id", "dialogue_id", "side", *CHUNK_COLUMNS)


@dataclass(slots=True)
class _Side:
    """A question or an answer in pieces; ``marks`` tells which of them are near-duplicates, empty where none is.

    ``text`` is what the pieces are of, ``unmarked`` where that is in the pair's text, None where they are the same.
    """

    name: str
    text: str
    unmarked: Unmarked | None
    pieces: list[Piece]
    marks: list[bool] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _ChunkedPair:
    pair: Pair
    sides: tuple[_Side, _Side]


def qa_chunks(batch: DialogueBatch, chunk_tokens: int) -> pd.DataFrame:
    """Return the chunks of all pairs of the batch.

    Args:
        batch: the dialogues.
        chunk_tokens: most tokens of a chunk.
    """
    questions = list(_siblings(_chunked(batch, find_pairs(batch), chunk_tokens)))
    _mark_near_duplicates(questions)
    pages = page_of_messages(batch)
    rows = [row for siblings in questions for pair in siblings for row in _rows(batch, pair, pages[pair.pair.end])]
    return frame_of_rows(_COLUMNS, rows)


def _chunked(batch: DialogueBatch, pairs: Sequence[Pair], chunk_tokens: int) -> Iterator[_ChunkedPair]:
    """Yield the pairs in order; a text that several of them have is cut once."""
    languages = dialogue_languages(batch)
    around = [languages[batch.dialogue[pair.end]] for pair in pairs]
    said = {text for pair in pairs for text in (pair.question, pair.answer)}
    unmarked = {text: Unmarked(text) for text in said if has_marks(text)}

    def shown(text: str) -> str:
        return unmarked[text].text if text in unmarked else text

    texts = dict.fromkeys(
        (shown(text), language)
        for pair, language in zip(pairs, around, strict=True)
        for text in (pair.question, pair.answer)
        if text != NO_RESULT_CONTENT
    )
    pieces = dict(zip(texts, split_into_pieces(list(texts), chunk_tokens), strict=True))

    def side(name: str, text: str, language: str) -> _Side:
        return _Side(name, shown(text), unmarked.get(text), pieces.get((shown(text), language), []))

    for pair, language in zip(pairs, around, strict=True):
        yield _ChunkedPair(pair, (side(QUESTION, pair.question, language), side(ANSWER, pair.answer, language)))


def _siblings(pairs: Iterable[_ChunkedPair]) -> Iterator[list[_ChunkedPair]]:
    """Yield the pairs of each question, which is a message or a tool call; the one on the primary path comes first."""
    for _, group in groupby(pairs, key=lambda chunked: (chunked.pair.start, chunked.pair.call)):
        yield sorted(group, key=lambda chunked: (chunked.pair.is_branch, chunked.pair.end))


def _mark_near_duplicates(chunked: Iterable[Sequence[_ChunkedPair]]) -> None:
    """Mark the chunks of which the siblings before say nearly everything.

    Args:
        chunked: the pairs of each question, in order.
    """
    several = [siblings for siblings in chunked if len(siblings) > 1]
    shingles = Shingles(text for siblings in several for text in _compared_texts(siblings))
    for siblings in several:
        known: dict[str, set[int]] = defaultdict(set)
        for nth, chunked_pair in enumerate(siblings):
            for side in chunked_pair.sides:
                if nth > 0:
                    side.marks = [is_known(shingles.of(piece.text), known[side.name]) for piece in side.pieces]
                if nth < len(siblings) - 1:
                    known[side.name] |= shingles.of(side.text)


def _compared_texts(siblings: Sequence[_ChunkedPair]) -> Iterator[str]:
    """Yield what is compared of siblings: the chunks of all but the first, the whole texts of all but the last."""
    for pair in siblings[1:]:
        yield from (piece.text for side in pair.sides for piece in side.pieces)
    for pair in siblings[:-1]:
        yield from (side.text for side in pair.sides)


def _rows(batch: DialogueBatch, chunked: _ChunkedPair, page: int) -> Iterator[tuple[object, ...]]:
    pair_id, dialogue = chunked.pair.pair_id(batch), batch.dialogue_of_message[chunked.pair.start]
    for side in chunked.sides:
        for index, values in enumerate(chunk_values(side.pieces, side.marks, side.unmarked, page)):
            yield row_id("chunk", pair_id, side.name, str(index)), pair_id, dialogue, side.name, *values


ASSET: Final = DerivedAsset(
    name="qa_chunks",
    of=DialogueBatch,
    tables=("qa_chunks",),
    upstream=("qa_pairs", "dialogue_pages"),
    derive=lambda batch, settings: {"qa_chunks": qa_chunks(batch, settings.chunk_tokens)},
    code_version=CODE_VERSION,
    setting_version=lambda settings: f"tokens={settings.chunk_tokens}",
    runtime_version=lambda: f"{UNICODE},{chunking_runtime()}",
    description="What of it is embedded once, however many pairs have it, is told by content_hash.",
    reads=("messages", "content_parts"),
    lineage={
        "pair_id": ("qa_pairs.pair_id",),
        "text": ("qa_pairs.question", "qa_pairs.answer"),
        "page": ("dialogue_pages.page",),
    },
)
