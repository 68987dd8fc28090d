"""Values that variables and fields named like a secret are set to, in files of settings, JSON and code.

How much a value has to look like a secret depends on what sets it: a word behind an environment variable is one, a word
of prose or code seldom is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Its first letter is looked for before what follows it, which `re` does several times faster.
_WORD: Final = (
    r"[apstAPST](?i:(?<=s)ecret(?:[_-]?key)?|(?<=t)oken(?!iz)|(?<=p)ass(?:w(?:or)?d|[_-]?phrase)|(?<=_p)ass|(?<=p)wd"
    r"|(?<=a)pi[_-]?key|(?<=a)ccess[_-]?key|(?<=p)rivate[_-]?key)"
)
# Only names that something sets are tried further.
_NAME: Final = re.compile(rf"{_WORD}(?=[\w.-]{{0,32}}[\"'`]?[ \t]{{0,4}}[:=])")
_FIELD: Final = re.compile(rf".*{_WORD}_?\d{{0,2}}", re.DOTALL)
_VALUE: Final = r"[^\s\"'`#;,(){}<>$\[\]]"
_LETTER_AND_DIGIT: Final = rf"(?={_VALUE}{{0,256}}[A-Za-z])(?={_VALUE}{{0,256}}\d)"
# Words lack digits, and numbers letters.
_MIXED: Final = re.compile(
    rf"[\w.-]{{0,32}}[\"'`]?[ \t]{{0,4}}(?:=>?|:=?)[ \t]{{0,4}}[\"'`]?{_LETTER_AND_DIGIT}({_VALUE}{{8,256}})"
)
# Paths, references and comparisons begin otherwise.
_FIRST: Final = r"(?![=~/.$%*:&|-])"
# With no blank beside the sign, as shells and .env files write it. A call is code.
_ENVIRONMENT: Final = re.compile(rf"_?\d{{0,2}}={_FIRST}((?:(?!\\[nrt])[^\s\"'`;&|<>(){{}}\[\],]){{4,256}}+)(?![(\[])")
_LINE_END: Final = r"(?=[ \t]{0,4}(?:#|$|\\[nrt]))"
_LAST_WORD: Final = re.compile(
    rf"[_-]?\d{{0,2}}(?:[ \t]{{0,4}}:[ \t]{{1,4}}|=){_FIRST}((?:(?!\\[nrt]){_VALUE}){{4,256}}+){_LINE_END}",
    re.MULTILINE,
)
_NUMBER: Final = re.compile(
    r"[_-]?\d{0,2}[\"'`]?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?(\d{4,32}+)"
    rf"(?:(?=[ \t]{{0,4}}[\"'`,;&)}}\]])|{_LINE_END})",
    re.MULTILINE,
)
# Of lists and objects in texts, many of which describe fields, only what words and numbers lack.
_COLLECTION: Final = re.compile(r"[\"'`]?[ \t]{0,4}[:=]\s{0,4}[\[{]([^\[\]{}]{1,1000})")
_ITEM: Final = re.compile(rf"([\"']){_LETTER_AND_DIGIT}({_VALUE}{{6,256}})\1(?!\s{{0,4}}:)")
# What stands before the name on a line of settings.
_MARGIN: Final = re.compile(r"[ \t>*+-]*[\w.-]*")
_WIDEST_MARGIN: Final = 80
# What a program replaces by the secret, and what hides one.
_REFERENCE: Final = re.compile(r"\$?\{\{[^{}!]*(?:\}\})?|\$\{[^{}!]*\}?|\$[A-Z_]+|<.*>|%\w+%|[*xX.]*", re.DOTALL)
# What tells of a value or its type; each may be a password, but in texts it seldom is.
_NO_VALUE: Final = re.compile(
    r"[x*._-]*|\S*\.{3}|your[a-z_-]{0,40}|(?:my|insert|enter|replace)[_-][a-z_-]{0,40}|change[_-]?me"
    r"|(?:none|null|nil|undefined|true|false|yes|no|default|required|optional|missing|empty|blank|hidden|redacted|masked"
    r"|unset|unknown|valid|invalid|incorrect|wrong|expired|changed|todo|str(?:ing)?|text|int(?:eger)?|number|bool(?:ean)?"
    r"|bytes|object|dict|any|never|void|(?:var)?char|value|secret|token|password)[.!?]*",
    re.IGNORECASE,
)
# Names of variables and types: parts joined by dots or underscores, or with capitals.
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]+(?:[._][A-Za-z_]+)+|[A-Za-z_]*[a-z][A-Z][A-Za-z]*|[A-Z][a-z]+")


def is_named_like_secret(field: str) -> bool:
    """Tell whether a field has the name of a secret, not of something about one (``token_count``)."""
    return _FIELD.fullmatch(field) is not None


def is_reference(text: str) -> bool:
    """Tell whether a text only stands for a secret, such as ``${TOKEN}`` or ``***``."""
    return _REFERENCE.fullmatch(text) is not None


def set_values(text: str) -> Iterator[tuple[int, int]]:
    """Yield where they stand."""
    end = 0
    for name in _NAME.finditer(text):
        if name.start() < end:  # within a value
            continue
        match = _one_value(text, name)
        if match is not None:
            end = match.end(1)
            yield match.span(1)
        elif (collection := _COLLECTION.match(text, name.end())) is not None:
            yield from (item.span(2) for item in _ITEM.finditer(text, *collection.span(1)))


def _one_value(text: str, name: re.Match[str]) -> re.Match[str] | None:
    word, place = name[0], name.end()
    if word.isupper() and (match := _ENVIRONMENT.match(text, place)) and _is_secret(word, match[1]):
        return match
    if match := _MIXED.match(text, place):
        return match
    if (match := _NUMBER.match(text, place)) and _is_secret(word, match[1]):
        return match
    match = _LAST_WORD.match(text, place)
    if match is None or _IDENTIFIER.fullmatch(match[1]) or not _is_secret(word, match[1]):
        return None
    # Prose sets nothing to a password; what a token or secret is, it does say.
    return match if word[0] in "pP" or _is_at_margin(text, name.start()) else None


def _is_secret(word: str, value: str) -> bool:
    is_count = word.lower() == "token" and value.isdigit()
    return not is_count and _NO_VALUE.fullmatch(value) is None


def _is_at_margin(text: str, place: int) -> bool:
    """Tell whether nothing stands before a name on its line but what stands so in files of settings."""
    earliest = max(0, place - _WIDEST_MARGIN)
    start = text.rfind("\n", earliest, place) + 1
    return (start > 0 or earliest == 0) and _MARGIN.fullmatch(text, start, place) is not None
