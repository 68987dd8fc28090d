"""The versions of Claude.ai's artifacts: what each call of the tool made of them, as whole texts.

An update names only what it replaces, so its text follows from the version before it on the same branch. The texts of
a dialogue are bounded: small updates of a long text would repeat it without end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.json.shapes import as_identifier, as_text

TOOL: Final = "artifacts"
MAX_CHARACTERS: Final = 20_000_000
MAX_ARTIFACTS: Final = 200
# What the part says beside its columns; the call has the rest.
_SHOWN: Final = ("title", "type", "version_uuid")
_DESCRIBED: Final = frozenset({*_SHOWN, "language"})

UNKNOWN_VERSION: Final = "unknown_artifact_version"
LONG_ARTIFACT: Final = "long_artifact"


@dataclass(frozen=True, slots=True)
class _Version:
    """A version of an artifact: its text (None if it is not known), number from 1, and what is said of it."""

    text: str | None
    number: int
    said: Mapping[str, Any]


class Artifacts:
    """The artifacts of one dialogue, at each of its messages; ``is_linear`` if these have no parents."""

    def __init__(self, warnings: Counter[str], *, is_linear: bool) -> None:
        self._warnings = warnings
        self._is_linear = is_linear
        self._left = MAX_CHARACTERS
        self._here: dict[str, _Version] = {}
        self._at: dict[str, dict[str, _Version]] = {}

    def begin(self, parent: str | None) -> None:
        """Goes to a message: on from its parent, which was read before; without parents, from the message before it."""
        if not self._is_linear:
            self._here = self._at.get(parent or "", {})

    def end(self, message: str | None) -> None:
        """Keeps what the artifacts are after a message, for those below it."""
        if message is not None:
            self._at[message] = self._here

    def version(self, call: str, arguments: object) -> PartRecord | None:
        """Returns the version that a call of the tool made, None if the call names no artifact."""
        fields = arguments if isinstance(arguments, dict) else {}
        name = as_identifier(fields.get("id"))
        command = as_text(fields.get("command")) or "create"
        if name is None:
            return None
        before = self._here.get(name)
        text = self._text(command, fields, before)
        said = {**(before.said if before else {}), **{key: value for key, value in fields.items() if key in _DESCRIBED}}
        version = _Version(text, before.number + 1 if before else 1, said)
        kept = {key: value for key, value in self._here.items() if key != name}
        if len(kept) >= MAX_ARTIFACTS:
            kept.pop(next(iter(kept)))
        self._here = {**kept, name: version}
        source = {"version": version.number, **{key: said[key] for key in _SHOWN if as_text(said.get(key))}}
        return PartRecord(
            PartType.ARTIFACT,
            text,
            command,
            tool_use_id=call,
            language=as_text(said.get("language")),
            uri=name,
            source=source,
        )

    def _text(self, command: str, fields: Mapping[str, Any], before: _Version | None) -> str | None:
        text = _updated(before, fields) if command == "update" else as_text(fields.get("content"))
        if text is None:
            self._warnings[UNKNOWN_VERSION] += 1
            return None
        if len(text) > self._left:
            self._warnings[LONG_ARTIFACT] += 1
            return None
        self._left -= len(text)
        return text


def _updated(before: _Version | None, fields: Mapping[str, Any]) -> str | None:
    """Returns the text with the first place of ``old_str`` replaced, None where there is no such place."""
    old, new = fields.get("old_str"), fields.get("new_str")
    if before is None or before.text is None or not isinstance(old, str) or not isinstance(new, str):
        return None
    return before.text.replace(old, new, 1) if old in before.text else None
