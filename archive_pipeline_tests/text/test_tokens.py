"""Counts are those of OpenAI's tokenizer, known from its published examples."""

from __future__ import annotations

import subprocess
import sys

import pytest

from archive_pipeline.text.tokens import chunk_tokenizer


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("tiktoken is great!", 6), ("antidisestablishmentarianism", 6), ("お誕生日おめでとう", 9)],
)
def test_counts_are_those_of_cl100k_base(text: str, tokens: int):
    assert chunk_tokenizer().count(text) == tokens


def test_the_package_that_takes_seconds_to_import_is_not_imported():
    code = "import sys; from archive_pipeline.text import tokens; tokens.chunk_tokenizer(); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert "bpe_openai" not in modules
