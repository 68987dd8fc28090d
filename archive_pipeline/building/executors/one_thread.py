"""What a worker's libraries are told: the other processors have workers of their own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

# Read by Hugging Face's tokenizers, which the model `static` uses, at each call; they have a thread per processor.
_AT_EACH_CALL: Final[Mapping[str, str]] = {"TOKENIZERS_PARALLELISM": "false"}
# Read when numpy and Arrow are loaded, which then have threads that wait for work.
_WHEN_LOADED: Final[Mapping[str, str]] = {
    "OPENBLAS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}


def keep_to_one_thread() -> None:
    """Have libraries that are loaded compute in the thread that calls them, unless the environment says otherwise."""
    for name, value in _AT_EACH_CALL.items():
        os.environ.setdefault(name, value)


def one_thread_environment() -> dict[str, str]:
    """Return what to add to the environment of a process that has one thread; what is set there stays."""
    told = {**_AT_EACH_CALL, **_WHEN_LOADED}
    return {name: value for name, value in told.items() if name not in os.environ}
