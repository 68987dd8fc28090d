"""Counting tokens, for the sizes of chunks: OpenAI's cl100k_base, whose vocabulary is in a package.

One count for every embedding model: chunks and their ids stay when the model changes. It is that of OpenAI's embedding
models; a model with another vocabulary may count more.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from pathlib import Path
from typing import Any, Final

ENCODING: Final = "cl100k_base"
_PACKAGE: Final = "bpe_openai"
_MODULE: Final = "_bindings"


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text, in time linear in its length."""
    return _counter()(text)


@cache
def _counter() -> Callable[[str], int]:
    count: Callable[[str], int] = _bindings().tokenizer_for_encoding(ENCODING).count
    return count


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
