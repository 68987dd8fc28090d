"""Counting tokens: with a real tokenizer, whose vocabularies are in the package ``bpe-openai``, or by a heuristic.

Sizes of chunks are counted in ``cl100k_base`` whatever the embedding model is, so that chunks and their ids stay when
the model changes. Contexts are counted in ``o200k_base``, or estimated where the package is missing
(``token_estimates``).
"""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from pathlib import Path
from typing import Any, Final, Protocol

from archive_pipeline.text.token_estimates import HeuristicCounter

CHUNK_ENCODING: Final = "cl100k_base"
CONTEXT_ENCODING: Final = "o200k_base"
_PACKAGE: Final = "bpe_openai"
_MODULE: Final = "_bindings"


class TokenCounter(Protocol):
    """Counts tokens of a text. A context never exceeds its budget by its own counter, whatever that counts."""

    @property
    def name(self) -> str:
        """What a context reports as ``token_counter``."""

    def count(self, text: str) -> int:
        """Return the number of tokens; 0 for the empty text."""


class TokenizerCounter:
    """Counts tokens of ``o200k_base``. Loading its vocabulary takes about 0.1 s."""

    name: Final = CONTEXT_ENCODING

    def __init__(self) -> None:
        self._count = _tokenizer(CONTEXT_ENCODING).count

    def count(self, text: str) -> int:
        """Return the number of tokens; names of special tokens in the text count as the text they are."""
        try:
            return self._count(text)
        except UnicodeEncodeError:  # half characters, of which the tokenizer has none
            return self._count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


@cache
def default_counter() -> TokenCounter:
    """Return the tokenizer if it is installed, else the heuristic."""
    return TokenizerCounter() if importlib.util.find_spec(_PACKAGE) else HeuristicCounter()


class Tokenizer(Protocol):
    """Counts tokens, in time linear in the length of the text."""

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""


def chunk_tokenizer() -> Tokenizer:
    """Return the tokenizer that sizes of chunks are counted with."""
    return _tokenizer(CHUNK_ENCODING)


@cache
def _tokenizer(encoding: str) -> Tokenizer:
    found: Tokenizer = _bindings().tokenizer_for_encoding(encoding)
    return found


def _bindings() -> Any:
    """Load the compiled module of the package alone, in a tenth of a second.

    Importing the package reads all its vocabularies into dictionaries, which takes seconds, and what it adds refuses
    long texts.
    """
    package = importlib.util.find_spec(_PACKAGE)
    folders = [] if package is None else list(package.submodule_search_locations or ())
    for path in (Path(folder, _MODULE + suffix) for folder in folders for suffix in EXTENSION_SUFFIXES):
        if path.exists():
            spec = importlib.util.spec_from_loader(_MODULE, ExtensionFileLoader(_MODULE, str(path)))
            if spec is not None and spec.loader is not None:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    raise ImportError(f"{_PACKAGE}.{_MODULE} is not installed; reinstall llm-archive-pipeline")
