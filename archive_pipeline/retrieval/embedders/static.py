"""Static embeddings: the vector of a text is the mean of its tokens' vectors. The default.

It needs neither network nor GPU nor torch. Tokens and their vectors are files in the package wordllama (MIT). The
package itself is not imported: it brings code that downloads models.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final

import numpy as np

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import MissingExtraError
from archive_pipeline.retrieval.embedders.interface import STATIC, Vectors, normalized

EXTRA: Final = "search"
PURPOSE: Final = "the embedding model 'static'"
_PACKAGE: Final = "wordllama"
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR: Final = "embedding.weight"
# What stands for the space before a word in a token.
_WORD_BEGINS: Final = "\u2581"
# Shorter words are parts of others, as a rule.
_SHORT: Final = 2
# Vectors that are gathered at once: 1 MB, which is in a processor's cache when it is added up (docs/performance.md).
_TOKENS_AT_ONCE: Final = 1 << 10


class StaticEmbedder:
    """wordllama's 256-dimensional vectors of 32,000 tokens."""

    name = STATIC
    cut_texts = 0

    def __init__(self) -> None:
        folder = _package_folder()
        tensors = import_optional("safetensors.numpy", extra=EXTRA, purpose=PURPOSE).load_file(folder / _WEIGHTS)
        tokenizers = import_optional("tokenizers", extra=EXTRA, purpose=PURPOSE)
        self._vectors: Vectors = tensors[_TENSOR].astype(np.float32)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / _TOKENIZER))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        # To it a whole text is one word, and it remembers thousands of words: 240 MB of texts that come once.
        self._tokenizer.model._resize_cache(0)  # noqa: SLF001 (the library has no other name for it)

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return int(self._vectors.shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text; 0 for a text without tokens."""
        return normalized(self.sums(texts))

    def sums(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text: the sum of its tokens' vectors."""
        found = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
        sums = np.zeros((len(found), self.dimensions), dtype=np.float32)
        for start, end in _groups([len(ids) for ids in found]):
            lengths = np.array([len(ids) for ids in found[start:end]])
            filled = np.flatnonzero(lengths)
            if filled.size:
                tokens = np.concatenate([np.asarray(ids, dtype=np.intp) for ids in found[start:end]])
                offsets = np.cumsum(lengths)[filled] - lengths[filled]
                sums[start + filled] = np.add.reduceat(self._vectors[tokens], offsets, axis=0)
        return sums

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query: queries are texts like others."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries."""
        return self.embed(texts)

    def frequent_words(self, number: int) -> list[str]:
        """Return words that have a token of their own, the most frequent ones first, in ASCII."""
        tokens = sorted(self._tokenizer.get_vocab().items(), key=itemgetter(1))
        begun = (token[1:] for token, _ in tokens if token.startswith(_WORD_BEGINS))
        words = (word for word in begun if word.isascii() and word.isalpha() and len(word) > _SHORT)
        return list(islice(words, number))


def _package_folder() -> Path:
    # Found, not imported.
    package = importlib.util.find_spec(_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise MissingExtraError(f"{PURPOSE} needs {_PACKAGE}: pip install 'llm-archive-pipeline[{EXTRA}]'")
    return Path(package.submodule_search_locations[0])


def _groups(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield ranges of texts with a bounded number of tokens, at least one text each."""
    start, tokens = 0, 0
    for index, length in enumerate(lengths):
        if index > start and tokens + length > _TOKENS_AT_ONCE:
            yield start, index
            start, tokens = index, 0
        tokens += length
    if start < len(lengths):
        yield start, len(lengths)
