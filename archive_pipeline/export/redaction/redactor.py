"""Redacting texts and dialogues: placeholders that stay the same, and no text that was not checked twice.

A placeholder is ``[EMAIL-1f0c9a2b]``: the rule, and a keyed hash of the value, by which one sees that two places said
the same. The key is made for an archive and stays in its home, so the hash tells nobody else what was there.
"""

from __future__ import annotations

import getpass
import hashlib
import hmac
import json
import re
import secrets
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from archive_pipeline.errors import ExportError
from archive_pipeline.export.redaction.names import open_names_finder
from archive_pipeline.export.redaction.overlaps import apart_from, before_replacing, first_wins, united
from archive_pipeline.export.redaction.rules import Finder, Span, finders, may_name_secret, word_finders
from archive_pipeline.export.redaction.variables import is_named_like_secret, is_reference
from archive_pipeline.export.tool_names import NOT_IN_NAMES
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.retrieval.reading.dialogues import Dialogue, with_first_prompt
from archive_pipeline.retrieval.reading.messages import Attachment, Part
from archive_pipeline.retrieval.reading.outline import Heading
from archive_pipeline.settings.kept_secrets import keep_secret
from archive_pipeline.text.sanitize import json_text

KEY_FILE: Final = "redaction.key"
_KEY_BYTES: Final = 32
_HASH_DIGITS: Final = 8
_PLACEHOLDER: Final = re.compile(rf"\[[A-Z]+-[0-9a-f]{{{_HASH_DIGITS}}}\]")
# Placeholders, and what providers take in no name of a tool.
_PLACEHOLDER_OR_OTHER: Final = re.compile(rf"({_PLACEHOLDER.pattern})|{NOT_IN_NAMES}")
# Accounts that many machines have: their names are words.
_COMMON_ACCOUNTS: Final = frozenset({"root", "user", "admin", "ubuntu", "debian", "runner", "docker", "test", "home"})
_SHORTEST_NAME: Final = 4
# A value whose end another rule also finds shrinks by a round, and a model may take what is left for another name; more
# rounds mean that a rule finds its own traces.
_MOST_ROUNDS: Final = 8
_OF_PARTS: Final = ("text", "tool_use_id", "language", "mime_type", "uri")
_OF_ATTACHMENTS: Final = ("file_name", "mime_type", "uri", "pointer", "text")
_SHORT: Final = 200
_KEPT_SHORT_TEXTS: Final = 10_000


class _Redacted(NamedTuple):
    text: str
    counts: Counter[str]


@dataclass
class Redactor:
    """Replaces what rules find, or refuses.

    Words are looked for apart from the rules: one within an address or a secret would hide it from them. So what is
    replaced without any words is replaced with them too.

    Attributes:
        rules: as ``finders`` returns them.
        key: of the hashes in placeholders.
        words: as ``word_finders`` returns them.
        counts: replacements by rule.
    """

    rules: Sequence[Finder]
    key: bytes = field(repr=False)
    words: Sequence[Finder] = ()
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Keep what becomes of short texts: ids, names and paths come again and again."""
        self._short = lru_cache(maxsize=_KEPT_SHORT_TEXTS)(self._redacted)

    def text(self, text: str) -> str:
        """Return the text without what the rules find.

        Raises:
            ExportError: something is still found in what would be returned.
        """
        found = self._short(text) if len(text) <= _SHORT else self._redacted(text)
        if found.counts:
            self.counts.update(found.counts)
        return found.text

    def value(self, value: Any) -> Any:
        """Return a JSON value with all its texts redacted, keys of objects too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self._field(name, item) for name, item in value.items()}
        if isinstance(value, int | float) and not isinstance(value, bool):
            # A card number may be a number.
            redacted = self.text(str(value))
            return value if redacted == str(value) else redacted
        return value

    def _field(self, name: str, item: Any) -> Any:
        """Return the value of a field without what only its name tells to be a secret."""
        if is_named_like_secret(name):
            return self._secret(item)
        value = self.value(item)
        if not (isinstance(value, str) and may_name_secret(name.lower())):
            return value
        field_ = json.dumps({name: value}, ensure_ascii=False)
        redacted = self.text(field_)
        if redacted == field_:
            return value
        try:
            return next(iter(json.loads(redacted).values()))
        except ValueError:  # of an escaped character one half is replaced
            return self._placeholder(value, Span(0, len(value), "SECRET"))

    def _secret(self, value: Any) -> Any:
        """Return the value of a field that is named like a secret: all texts and numbers in it are taken for one."""
        if isinstance(value, list):
            return [self._secret(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self._secret(item) for name, item in value.items()}
        if value is None or isinstance(value, bool):
            return value
        text = str(value)
        if is_reference(text) or _PLACEHOLDER.fullmatch(text):
            return value
        self.counts["SECRET"] += 1
        return self._placeholder(text, Span(0, len(text), "SECRET"))

    def dialogue(self, dialogue: Dialogue) -> None:
        """Redact a dialogue that was read; the archive keeps what it has."""
        for message in dialogue.messages:
            message.author = self.tool_name(message.author)
            message.model = self._optional(message.model)
            for part in message.parts:
                self._part(part)
            for attachment in message.attachments:
                self._fields(attachment, _OF_ATTACHMENTS)
        # What a cut text begins with may not be known for what it is.
        dialogue.heading = with_first_prompt(self.heading(dialogue.heading), dialogue.messages)

    def heading(self, heading: Heading) -> Heading:
        """Return a redacted copy of what stands above a dialogue; a key has the id of the source in it."""
        return replace(heading, title=self._optional(heading.title), partition_key=self.text(heading.partition_key))

    def tool_name(self, name: str | None) -> str | None:
        """Return the name of a tool, or of an author, who may be one, without what the rules find.

        What they find only in the name as providers take it, where ``ann/lee`` is ``ann_lee``, is replaced too.
        """
        if name is None:
            return None
        redacted = self.text(name)
        taken = _PLACEHOLDER_OR_OTHER.sub(lambda match: match[1] or "_", redacted)
        found = self.text(taken)
        return redacted if found == taken else found

    def _part(self, part: Part) -> None:
        part.tool_name = self.tool_name(part.tool_name)
        self._fields(part, _OF_PARTS)
        if part.tool_input:
            arguments, _ = parse_json(part.tool_input.encode())
            part.tool_input = json_text(self.value(arguments), Counter())

    def _fields(self, piece: Part | Attachment, names: Sequence[str]) -> None:
        for name in names:
            if text := getattr(piece, name):
                setattr(piece, name, self.text(text))

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _redacted(self, text: str) -> _Redacted:
        counts: Counter[str] = Counter()
        for _ in range(_MOST_ROUNDS):
            spans, known = self._by_rules(text)
            with_words = united(self._words(text), spans)
            counts.update(span.rule for span in with_words)
            # The rules find nothing more in what they left; a word may stand apart only now.
            if with_words == spans and not (spans and any(self._words(known))):
                return _Redacted(known, counts)
            text = self._replaced(text, with_words)
        raise _endless()

    def _by_rules(self, text: str) -> tuple[list[Span], str]:
        """Return what the rules find in a text until they find nothing, as if there were no words, and what is left."""
        spans: list[Span] = []
        left = text
        for _ in range(_MOST_ROUNDS):
            found = first_wins(left, self.rules, _placeholders(left))
            if not found:
                return spans, left
            spans = sorted([*spans, *before_replacing(spans, found, partial(self._placeholder, text))])
            left = self._replaced(text, spans)
        raise _endless()

    def _words(self, text: str) -> Iterator[Span]:
        return apart_from(_placeholders(text), chain.from_iterable(rule(text) for rule in self.words))

    def _replaced(self, text: str, spans: Sequence[Span]) -> str:
        pieces, end = [], 0
        for span in spans:
            pieces += [text[end : span.start], self._placeholder(text, span)]
            end = span.end
        return "".join([*pieces, text[end:]])

    def _placeholder(self, text: str, span: Span) -> str:
        rule, value = span.rule, text[span.start : span.end]
        same = value if rule == "SECRET" else unicodedata.normalize("NFC", re.sub(r"[\s()-]", "", value).casefold())
        digest = hmac.new(self.key, f"{rule}\x1f{same}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"[{rule}-{digest[:_HASH_DIGITS]}]"


def _placeholders(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _PLACEHOLDER.finditer(text)]


def _endless() -> ExportError:
    return ExportError("a text cannot be redacted so that no rule finds anything in it; nothing was written")


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
    rules = finders(phone_region)
    if names_language is not None:
        rules.append(open_names_finder(names_language))
    return Redactor(rules, _key(home / KEY_FILE), word_finders(words, _account_names()))


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
