"""Names of people and places, found by Presidio with a language model of spaCy that the user has installed.

A model guesses: it misses names, and takes words for names. The rules of ``rules.py`` do neither, so they go first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.export.redaction.rules import Finder, Span

EXTRA: Final = "redaction-names"
# What Presidio calls them, and the rule in a placeholder.
ENTITIES: Final = {"PERSON": "PERSON", "LOCATION": "PLACE"}
# The most thorough kind first, as spaCy names its models.
_KINDS: Final = ("trf", "lg", "md", "sm")
# spaCy takes memory for each character, and refuses a million.
_CHARACTERS: Final = 100_000


def open_names_finder(language: str) -> Finder:
    """Return the rule for names in a language (two letters), by the best model that is installed.

    Raises:
        MissingExtraError: Presidio is not installed.
        ConfigurationError: no model of the language is.
    """
    purpose = "redaction of names (--presidio)"
    presidio = import_optional("presidio_analyzer", extra=EXTRA, purpose=purpose)
    providers = import_optional("presidio_analyzer.nlp_engine", extra=EXTRA, purpose=purpose)
    spacy = import_optional("spacy", extra=EXTRA, purpose=purpose)
    model = best_model(spacy.util.get_installed_models(), language)
    if model is None:
        raise ConfigurationError(
            f"--presidio {language}: spaCy has no model of this language; "
            "`python -m spacy download` installs one, such as en_core_web_lg"
        )
    configuration = {"nlp_engine_name": "spacy", "models": [{"lang_code": language, "model_name": model}]}
    nlp = providers.NlpEngineProvider(nlp_configuration=configuration).create_engine()
    # Without recognisers of its own it downloads nothing: those of other rules ask the network for top-level domains.
    recognizer = import_optional("presidio_analyzer.predefined_recognizers", extra=EXTRA, purpose=purpose)
    registry = presidio.RecognizerRegistry(
        [recognizer.SpacyRecognizer(supported_language=language, supported_entities=list(ENTITIES))],
        supported_languages=[language],
    )
    analyzer = presidio.AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=[language])
    return names_finder(analyzer, language)


def best_model(installed: list[str], language: str) -> str | None:
    """Return the most thorough of some models of spaCy for a language; None if there is none."""
    found = sorted(name for name in installed if name.split("_")[0] == language)
    return min(found, key=lambda name: (_rank(name), name), default=None)


def _rank(name: str) -> int:
    kind = name.rpartition("_")[2]
    return _KINDS.index(kind) if kind in _KINDS else len(_KINDS)


def names_finder(analyzer: Any, language: str) -> Finder:
    """Return the rule for what an ``AnalyzerEngine`` takes for a name."""

    def names(text: str) -> Iterator[Span]:
        for start, piece in pieces(text, _CHARACTERS):
            for found in analyzer.analyze(piece, language=language, entities=list(ENTITIES)):
                yield Span(start + found.start, start + found.end, ENTITIES[found.entity_type])

    return names


def pieces(text: str, limit: int) -> Iterator[tuple[int, str]]:
    """Yield where pieces of a text begin, and the pieces; they end with a line, else with a word, else at the limit."""
    start = 0
    while len(text) - start > limit:
        ends = (text.rfind(mark, start, start + limit) for mark in "\n ")
        end = next((end + 1 for end in ends if end >= 0), start + limit)
        yield start, text[start:end]
        start = end
    if start < len(text):
        yield start, text[start:]
