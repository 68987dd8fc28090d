"""Cross-encoders of sentence-transformers: a folder or a hub's model, on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import RerankerError
from archive_pipeline.retrieval.embedders.interface import TRANSFORMERS_PREFIX
from archive_pipeline.retrieval.rerank.interface import MOST_TOKENS, Scores

EXTRA: Final = "search-transformers"
_HEAD: Final = "ForSequenceClassification"


class CrossEncoderReranker:
    """A model that sentence-transformers loads as ``CrossEncoder``. It reads the beginning of what is too long.

    Attributes:
        name: folder or hub id.
    """

    is_of_meaning = False

    def __init__(self, name: str) -> None:
        """Load a model.

        Raises:
            MissingExtraError: the packages are not installed.
            RerankerError: it is not there, or gives something else than one number for a text.
        """
        package = import_optional("sentence_transformers", extra=EXTRA, purpose="the reranker of ARCHIVE_RERANKER")
        self.name = name
        try:
            self._model = _load(package.CrossEncoder, name)
        # Of a damaged folder any library on the way may complain in its own manner.
        except Exception as error:
            raise RerankerError(
                f"sentence-transformers cannot load the reranker {name!r}: {first_line(error)}"
            ) from error
        reason = _why_unusable(self._model)
        if reason is not None:
            raise RerankerError(
                f"{name!r} {reason}; give ARCHIVE_RERANKER a cross-encoder for search, or an embedding model as "
                f"{TRANSFORMERS_PREFIX}{name}"
            )
        self._model.max_seq_length = min(self._model.max_seq_length or MOST_TOKENS, MOST_TOKENS)

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Return how well each text answers the question, as ``Reranker`` says."""
        pairs = [(question, text) for text in texts]
        try:
            found = self._model.predict(
                pairs, batch_size=len(pairs), activation_fn=_as_it_is, convert_to_numpy=True, show_progress_bar=False
            )
        except (RuntimeError, IndexError, ValueError) as error:
            raise RerankerError(f"the reranker {self.name!r} failed: {first_line(error)}") from error
        return np.asarray(found, dtype=np.float32)


def _load(kind: Any, name: str) -> Any:
    """Return the model of a folder or of what was fetched before; what is not there is fetched from the hub."""
    try:
        return kind(name, device="cpu", local_files_only=True)
    except OSError:
        return kind(name, device="cpu")


def _why_unusable(model: Any) -> str | None:
    """Return what is wrong with a model that could be loaded; None if nothing is."""
    network = model.model
    made = type(network).__name__
    # sentence-transformers puts a head of random numbers on a model that has none.
    if made.endswith(_HEAD) and made not in (network.config.architectures or ()):
        return "is no cross-encoder: it has no weights that make a number of a text"
    if model.num_labels != 1:
        return f"gives {model.num_labels} numbers for a text instead of one"
    return None


def _as_it_is(logits: Any) -> Any:
    """Leave what the model gives: a sigmoid makes good texts equal in float32."""
    return logits
