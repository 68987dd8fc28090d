"""Redacting texts and dialogues: placeholders that stay the same, and no text that was not checked twice.

A placeholder is ``[EMAIL-1f0c9a2b]``: the rule, and a keyed hash of the value, by which one sees that two places said
the same. The key is made for an archive and stays in its home, so the hash tells nobody else what was there.
"""

from __future__ import annotations

import getpass
import hashlib
import hmac
import re
import secrets
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from archive_pipeline.errors import ExportError
from archive_pipeline.export.redaction.names import open_names_finder
from archive_pipeline.export.redaction.rules import Finder, Span, finders
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.retrieval.reading.dialogues import Dialogue, with_first_prompt
from archive_pipeline.retrieval.reading.outline import Heading
from archive_pipeline.settings.kept_secrets import keep_secret
from archive_pipeline.text.sanitize import json_text

KEY_FILE: Final = "redaction.key"
_KEY_BYTES: Final = 32
_HASH_DIGITS: Final = 8
_PLACEHOLDER: Final = re.compile(rf"\[[A-Z]+-[0-9a-f]{{{_HASH_DIGITS}}}\]")
# Accounts that many machines have: their names are words.
_COMMON_ACCOUNTS: Final = frozenset({"root", "user", "admin", "ubuntu", "debian", "runner", "docker", "test", "home"})
_SHORTEST_NAME: Final = 4
# A value whose end another rule also finds shrinks by a round, and a model may take what is left for another name; more
# rounds mean that a rule finds its own traces.
_MOST_ROUNDS: Final = 8


@dataclass
class Redactor:
    """Replaces what rules find, or refuses.

    Attributes:
        rules: as ``finders`` returns them.
        key: of the hashes in placeholders.
        counts: replacements by rule; nothing of what was replaced is kept.
    """

    rules: Sequence[Finder]
    key: bytes = field(repr=False)
    counts: Counter[str] = field(default_factory=Counter)

    def text(self, text: str) -> str:
        """Return the text without what the rules find.

        Raises:
            ExportError: something is still found in what would be returned.
        """
        for _ in range(_MOST_ROUNDS):
            spans = self._spans(text)
            if not spans:
                return text
            text = self._replaced(text, spans)
        raise ExportError("a text cannot be redacted so that no rule finds anything in it; nothing was written")

    def value(self, value: Any) -> Any:
        """Return a JSON value with all its texts redacted, keys of objects too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(item) for name, item in value.items()}
        if isinstance(value, int | float) and not isinstance(value, bool):
            # A card number may be a number.
            redacted = self.text(str(value))
            return value if redacted == str(value) else redacted
        return value

    def dialogue(self, dialogue: Dialogue) -> None:
        """Redact a dialogue that was read; the archive keeps what it has."""
        for message in dialogue.messages:
            message.author = self._optional(message.author)
            for part in message.parts:
                part.text = self._optional(part.text)
                part.uri = self._optional(part.uri)
                if part.tool_input:
                    arguments, _ = parse_json(part.tool_input.encode())
                    part.tool_input = json_text(self.value(arguments), Counter())
            for attachment in message.attachments:
                attachment.file_name = self._optional(attachment.file_name)
                attachment.uri = self._optional(attachment.uri)
                attachment.pointer = self._optional(attachment.pointer)
                attachment.text = self._optional(attachment.text)
        # What a cut text begins with may not be known for what it is.
        dialogue.heading = with_first_prompt(self.heading(dialogue.heading), dialogue.messages)

    def heading(self, heading: Heading) -> Heading:
        """Return a redacted copy of what stands above a dialogue."""
        return replace(heading, title=self._optional(heading.title))

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _spans(self, text: str) -> list[Span]:
        """Return what is found, apart from placeholders, without overlaps; of rules that overlap the first wins."""
        taken = [match.span() for match in _PLACEHOLDER.finditer(text)]
        chosen: list[Span] = []
        for rule in self.rules:
            for span in rule(text):
                place = bisect(taken, (span.start, span.end))
                begins_after = place == 0 or taken[place - 1][1] <= span.start
                ends_before = place == len(taken) or span.end <= taken[place][0]
                if span.start < span.end and begins_after and ends_before:
                    chosen.append(span)
                    taken.insert(place, (span.start, span.end))
        return sorted(chosen)

    def _replaced(self, text: str, spans: Sequence[Span]) -> str:
        pieces, end = [], 0
        for span in spans:
            pieces += [text[end : span.start], self._placeholder(span.rule, text[span.start : span.end])]
            self.counts[span.rule] += 1
            end = span.end
        return "".join([*pieces, text[end:]])

    def _placeholder(self, rule: str, value: str) -> str:
        same = value if rule == "SECRET" else unicodedata.normalize("NFC", re.sub(r"[\s()-]", "", value).casefold())
        digest = hmac.new(self.key, f"{rule}\x1f{same}".encode(), hashlib.sha256).hexdigest()
        return f"[{rule}-{digest[:_HASH_DIGITS]}]"


def open_redactor(
    home: Path, own_words: Sequence[str], phone_region: str | None, names_language: str | None = None
) -> Redactor:
    """Return the redactor of an archive; its key is made the first time.

    Args:
        home: of the archive.
        own_words: words and names of the user's choice.
        phone_region: as ``finders`` takes it.
        names_language: the language whose names of people and places are replaced too; None for none.

    Raises:
        MissingExtraError: a package of an extra is not installed.
        ConfigurationError: no model of the language is installed.
    """
    words = [word.strip() for word in own_words if word.strip()]
    rules = finders(words, _account_names(), phone_region)
    if names_language is not None:
        rules.append(open_names_finder(names_language))
    return Redactor(rules, _key(home / KEY_FILE))


def _account_names() -> list[str]:
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # a container's user may have none (OSError as of Python 3.13)
        return []
    return [account] if len(account) >= _SHORTEST_NAME and account.lower() not in _COMMON_ACCOUNTS else []


def _key(file: Path) -> bytes:
    keep_secret(file, secrets.token_bytes(_KEY_BYTES))
    key = file.read_bytes()
    if len(key) != _KEY_BYTES:
        raise ExportError(f"{file} is no key; remove it, and placeholders of new exports differ from those before")
    return key
