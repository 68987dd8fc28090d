"""A model in ONNX: its tokenizer, and a run of onnxruntime for each text.

Texts are run one by one. Models that quantise while they run scale numbers by the largest one of a run, so that in a
batch the vector of a text would depend on what is beside it; nor is anything filled up.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.domain.reasons import first_line
from archive_pipeline.ingest.heap import release_free_memory
from archive_pipeline.retrieval.onnx.files import OnnxFiles, OnnxModelError

EXTRA: Final = "search"
_SENTENCE: Final = "sentence_embedding"

Numbers = npt.NDArray[np.float32]


class OnnxModel:
    """A model that was loaded. Several threads may use one.

    Args:
        files: where it is.
        most_tokens: that are read of a text, where that is less than the model reads.

    Raises:
        MissingExtraError: onnxruntime is not installed.
        OnnxModelError: it cannot be loaded.
    """

    def __init__(self, files: OnnxFiles, most_tokens: int | None = None) -> None:
        runtime = import_optional("onnxruntime", extra=EXTRA, purpose="a model in ONNX")
        tokenizers = import_optional("tokenizers", extra=EXTRA, purpose="a model in ONNX")
        self._file = files.model
        try:
            self._session = runtime.InferenceSession(str(files.model), providers=["CPUExecutionProvider"])
            self._tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
        # Both libraries raise exceptions of their own, which have nothing but Exception in common.
        except Exception as error:
            raise OnnxModelError(f"{files.model} cannot be loaded: {first_line(error)}") from error
        release_free_memory()  # half of what loading took
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(min(files.most_tokens, most_tokens or files.most_tokens))
        self._inputs = {each.name for each in self._session.get_inputs()}
        outputs = [each.name for each in self._session.get_outputs()]
        self._output = _SENTENCE if _SENTENCE in outputs else outputs[0]

    def run(self, text: str, beside: str | None = None) -> tuple[Numbers, bool]:
        """Return what the model gives for a text, or for two, and whether it read only the beginning.

        The shape is that of the model's output without its first dimension: (tokens, dimensions) or (dimensions,).

        Raises:
            OnnxModelError: the model fails.
        """
        # Half characters of broken texts are no Unicode; the tokenizer takes whole ones only.
        whole = [part.encode("utf-8", "replace").decode() for part in (text, beside) if part is not None]
        found = self._tokenizer.encode(*whole)
        given: dict[str, list[int]] = {
            "input_ids": found.ids,
            "attention_mask": found.attention_mask,
            "token_type_ids": found.type_ids,
        }
        inputs = {name: np.array([given[name]], dtype=np.int64) for name in self._inputs & given.keys()}
        try:
            (output,) = self._session.run([self._output], inputs)
        except Exception as error:
            raise OnnxModelError(f"{self._file} failed: {first_line(error)}") from error
        return np.asarray(output[0], dtype=np.float32), bool(found.overflowing)
