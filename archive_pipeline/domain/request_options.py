"""The options of a request that belong to a prompt's identity, under the names of any vendor (docs/hashes.md)."""

from __future__ import annotations

from typing import Final

TEMPERATURE: Final = "temperature"
# Of several in one request the first counts.
MAX_TOKENS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")
STOPS: Final = ("stop_sequences", "stop")
IDENTIFYING: Final = (TEMPERATURE, *MAX_TOKENS, *STOPS)
