"""Cross-encoders in ONNX, on the processor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from archive_pipeline.errors import RerankerError
from archive_pipeline.retrieval.onnx.files import OnnxFiles, OnnxModelError
from archive_pipeline.retrieval.onnx.model import OnnxModel
from archive_pipeline.retrieval.rerank.interface import MOST_TOKENS, Scores


class OnnxReranker:
    """A model that gives a number for a question and a text. It reads the beginning of what is too long.

    Attributes:
        name: as in the settings.
    """

    is_of_meaning = False

    def __init__(self, name: str, files: OnnxFiles) -> None:
        """Load a model.

        Raises:
            MissingExtraError: onnxruntime is not installed.
            RerankerError: it cannot be loaded, or gives something else than one number for a text.
        """
        self.name = name
        self._file = files.model
        try:
            self._model = OnnxModel(files, MOST_TOKENS)
        except OnnxModelError as error:
            raise RerankerError(str(error)) from error
        self.scores("question", ["text"])

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Return how well each text answers the question, as ``Reranker`` says."""
        try:
            found = [self._model.run(question, text)[0] for text in texts]
        except OnnxModelError as error:
            raise RerankerError(str(error)) from error
        if any(each.size != 1 for each in found):
            raise RerankerError(f"{self._file} gives {found[0].size} numbers for a text instead of one")
        return np.array([each.item() for each in found], dtype=np.float32)
