"""Names of people and places: what Presidio finds is replaced, and what it needs and is not there stops the export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.errors import ConfigurationError, MissingExtraError
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.redaction import names
from archive_pipeline.export.redaction.names import best_model, names_finder, open_names_finder
from archive_pipeline.export.redaction.redactor import Redactor
from archive_pipeline.export.redaction.rules import finders
from archive_pipeline.export.run import export
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine

TEXT = "Mira Stein moved from Lisbon to Oslo; write to mira@example.org."


@pytest.fixture(scope="module")
def analyzer() -> Any:
    """Presidio with recognisers of listed words, over a tokenizer without a model."""
    presidio = pytest.importorskip("presidio_analyzer")
    spacy = pytest.importorskip("spacy")
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    engine.nlp = {"en": spacy.blank("en")}
    listed = {"PERSON": ["Mira Stein"], "LOCATION": ["Lisbon", "Oslo"], "ORGANIZATION": ["write"]}
    recognizers = [
        presidio.PatternRecognizer(supported_entity=entity, deny_list=words) for entity, words in listed.items()
    ]
    registry = presidio.RecognizerRegistry(recognizers, supported_languages=["en"])
    return presidio.AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])


def redactor(analyzer: Any) -> Redactor:
    return Redactor([*finders(None), names_finder(analyzer, "en")], b"k" * 32)


def test_names_and_places_are_replaced_beside_what_other_rules_find(analyzer: Any):
    found = redactor(analyzer)
    redacted = found.text(TEXT)
    assert found.counts == {"PERSON": 1, "PLACE": 2, "EMAIL": 1}
    assert redacted.count("[PLACE-") == 2
    assert "; write to [EMAIL-" in redacted
    assert found.text(redacted) == redacted


def test_a_name_has_the_same_placeholder_everywhere(analyzer: Any):
    found = redactor(analyzer)
    one, other = (found.text(text) for text in ("Oslo is cold.", "I like Oslo"))
    assert one.removesuffix(" is cold.") == other.removeprefix("I like ")


@pytest.mark.parametrize("between", ["\n", " "])
def test_names_are_found_in_every_piece_of_a_long_text(analyzer: Any, monkeypatch: pytest.MonkeyPatch, between: str):
    monkeypatch.setattr(names, "_CHARACTERS", 20)
    text = between.join(["Mira Stein", *["-" * 7] * 9, "to Oslo"])
    spans = [(text[span.start : span.end], span.rule) for span in names_finder(analyzer, "en")(text)]
    assert spans == [("Mira Stein", "PERSON"), ("Oslo", "PLACE")]


@given(st.text("a \n", max_size=100))
def test_pieces_are_the_text_and_not_too_long(text: str):
    pieces = list(names.pieces(text, 20))
    assert "".join(piece for _, piece in pieces) == text
    assert all(text[start : start + len(piece)] == piece and 0 < len(piece) <= 20 for start, piece in pieces)


def test_the_most_thorough_model_of_the_language_is_taken():
    installed = ["en_core_web_sm", "de_core_news_lg", "en_core_web_md", "en_made_here"]
    assert best_model(installed, "en") == "en_core_web_md"
    assert best_model(installed[-1:], "en") == "en_made_here"
    assert best_model(installed, "fr") is None


def test_a_language_without_a_model_is_said():
    pytest.importorskip("presidio_analyzer")
    with pytest.raises(ConfigurationError, match="spaCy has no model of this language"):
        open_names_finder("xx")


def test_without_presidio_nothing_is_written(
    database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(MissingExtraError, match=r"--presidio.*redaction-names"):
        export(database, settings, "traces", tmp_path / "out", Choices(redact=True, presidio="en"))
    assert not (tmp_path / "out").exists()


def test_it_needs_redaction(llm_archive_of: CommandLine, tmp_path: Path):
    ended = llm_archive_of("export", "openai", "--out", tmp_path / "out", "--presidio", "en")
    assert ended.code == 2
    assert "--presidio need --redact" in ended.err
