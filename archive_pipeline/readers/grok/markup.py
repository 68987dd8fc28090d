"""The markup in the text of Grok's answers: where a card is shown, and what was written as a document of its own.

``<grok:render card_id="…">`` is a place in the text: what the card shows is beside the message. The text in
``<xaiArtifact title="…" contentType="…">`` is the document. Both names stand in prose without attributes, too.
"""

from __future__ import annotations

import re
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType

# Between its quotation marks a title may have the signs of a tag.
_ATTRIBUTES: Final = r'((?:[^<>"]|"[^"\n]*+")*+)'
_ATTRIBUTE: Final = re.compile(r'(\w{1,40})="([^"]*)"')
_CARD: Final = re.compile(rf"<grok:render\s{_ATTRIBUTES}>(?:(?!<grok:render\s).)*?</grok:render>", re.DOTALL)
# What shows a card; documentation of the markup has other words there.
_SHOWS: Final = re.compile(r'\b(?:card_id="|type="render_)')
# An answer that was cut off has no end of its last artifact.
_ARTIFACT: Final = re.compile(
    rf"^[ \t]*<xaiArtifact\s{_ATTRIBUTES}>((?:(?!</xaiArtifact>|<xaiArtifact\s).)*+)(?:</xaiArtifact>[ \t]*\n?)?",
    re.DOTALL | re.MULTILINE,
)
_PROSE: Final = frozenset({"", "markdown", "plain"})
_LANGUAGE: Final = re.compile(r"[\w#+.-]{1,40}")
_FENCES: Final = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


def read_markup(text: str) -> tuple[str, list[PartRecord]]:
    """Returns the text of an answer without tags, and the artifacts in it, whose texts stay where they are.

    Code is fenced, as it is elsewhere in answers: without its tags nothing else tells it from prose.
    """
    if "<grok:render" not in text and "<xaiArtifact" not in text:
        return text, []
    artifacts: list[PartRecord] = []

    def unwrapped(match: re.Match[str]) -> str:
        artifacts.append(_artifact(dict(_ATTRIBUTE.findall(match[1])), match[2].strip("\n")))
        return f"{_fenced(match[2], artifacts[-1].language)}\n"

    said = _ARTIFACT.sub(unwrapped, _CARD.sub(lambda match: "" if _SHOWS.search(match[1]) else match[0], text))
    return (text, []) if said == text else (said.strip("\n"), artifacts)


def _artifact(attributes: dict[str, Any], text: str) -> PartRecord:
    kind = attributes.get("contentType", "").lower().rpartition("/")[2].removeprefix("x-")
    language = kind if kind not in _PROSE and _LANGUAGE.fullmatch(kind) else None
    return PartRecord(
        PartType.ARTIFACT,
        text or None,
        "xaiArtifact",
        language=language,
        uri=attributes.get("artifact_id"),
        source=attributes or None,
    )


def _fenced(text: str, language: str | None) -> str:
    """Returns code between fences longer than those in it; prose, and what is between fences already, as it is."""
    if language is None or text.lstrip().startswith("```"):
        return text
    fence = "`" * max([3, *(len(found) + 1 for found in _FENCES.findall(text))])
    return "\n".join((f"{fence}{language}", text.strip("\n"), fence))
