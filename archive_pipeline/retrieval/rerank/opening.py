"""Which model of the second stage is meant by a name, as ``ARCHIVE_RERANKER`` has it.

| name | model |
|---|---|
| ``minilm`` | all-MiniLM-L6-v2 of a package, an embedding model |
| ``onnx:FOLDER`` | a cross-encoder or an embedding model in ONNX, as its files say |
| ``sentence-transformers:NAME`` | an embedding model that sentence-transformers loads |
| ``NAME`` | a cross-encoder that sentence-transformers loads: a folder, or a model of a hub |

An endpoint is none of them: texts of the archive stay on the machine.
"""

from __future__ import annotations

from archive_pipeline.errors import ConfigurationError, EmbeddingError, RerankerError
from archive_pipeline.retrieval.embedders.interface import MINILM, ONNX_PREFIX, TRANSFORMERS_PREFIX
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.onnx.files import OnnxModelError, find_files
from archive_pipeline.retrieval.rerank.cross_encoder import CrossEncoderReranker
from archive_pipeline.retrieval.rerank.embeddings import EmbeddingReranker
from archive_pipeline.retrieval.rerank.interface import Reranker
from archive_pipeline.retrieval.rerank.onnx import OnnxReranker
from archive_pipeline.settings import Settings


def open_reranker(settings: Settings, name: str) -> Reranker:
    """Return the model of a name.

    Raises:
        MissingExtraError: the packages that run it are not installed.
        RerankerError: it is not there, cannot be loaded, or does not tell how well a text answers.
    """
    if name != MINILM and not name.startswith((ONNX_PREFIX, TRANSFORMERS_PREFIX)):
        return CrossEncoderReranker(name)
    try:
        if name.startswith(ONNX_PREFIX):
            files = find_files(name.removeprefix(ONNX_PREFIX))
            if files.is_cross_encoder:
                return OnnxReranker(name, files)
        return EmbeddingReranker(open_embedder(settings, name))
    except (OnnxModelError, EmbeddingError, ConfigurationError) as error:
        raise RerankerError(str(error)) from error
