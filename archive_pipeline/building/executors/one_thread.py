"""What a worker's libraries are told: the other processors have workers of their own."""

from __future__ import annotations

import os
from typing import Final

# Read by Hugging Face's tokenizers, which the model `static` uses, at each call; they have a thread per processor.
_VARIABLE: Final = "TOKENIZERS_PARALLELISM"


def keep_to_one_thread() -> None:
    """Have libraries compute in the thread that calls them, unless the environment says otherwise."""
    os.environ.setdefault(_VARIABLE, "false")
