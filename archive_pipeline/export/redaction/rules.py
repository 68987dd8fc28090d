"""What is redacted: where in a text secrets and personal data stand.

Secrets are found by the rules of detect-secrets and, for providers it does not know, by their documented prefixes
(here, and in ``providers.py``); what variables are set to in ``assigned.py`` and ``variables.py``.
Numbers of accounts and cards have to pass their checksum, phone numbers the plans of libphonenumber.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, takewhile
from typing import Any, Final, NamedTuple

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.export.redaction.account_numbers import cards_in, ibans_in
from archive_pipeline.export.redaction.assigned import AssignedValues
from archive_pipeline.export.redaction.home_folders import users_of_home_folders
from archive_pipeline.export.redaction.own_words import words_pattern
from archive_pipeline.export.redaction.providers import PROVIDERS
from archive_pipeline.export.redaction.scripts import ESCAPED_END, JOINED, starts_after
from archive_pipeline.export.redaction.shapes import ASSIGNED, NEEDLES, NEEDLES_IN_CASE, ShapedRule, Traits
from archive_pipeline.export.redaction.urls import secrets_of_urls
from archive_pipeline.export.redaction.variables import set_values

EXTRA: Final = "redaction"


class Span(NamedTuple):
    """Where something stands, and what it is."""

    start: int
    end: int
    rule: str


Finder = Callable[[str], Iterator[Span]]

# As ASCII has it, or with letters of alphabets; texts in scripts without blanks go on behind it.
_LETTER: Final = rf"[^\W{JOINED}]"
_EMAIL: Final = re.compile(
    rf"(?:(?<![^\W_{JOINED}])(?<![.+-])|{ESCAPED_END})(?!_|(?<=\\)[nrt])"
    rf"(?:{_LETTER}|[.+-]){{1,64}}@(?:(?:{_LETTER}|-){{1,63}}\.){{1,8}}[^\W\d_{JOINED}]{{2,24}}(?!_{{0,3}}[^\W_{JOINED}])"
)
_EMAIL_IN_ANY_SCRIPT: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_PEM: Final = r"(?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_PRIVATE_KEY: Final = re.compile(rf"-----BEGIN {_PEM}.*?(?:-----END {_PEM}|\Z)", re.DOTALL)
# Anthropic, OpenAI, Google, Hugging Face, GitHub (fine-grained), and what stands behind Bearer.
_PREFIXED: Final = re.compile(
    r"sk-ant-[\w-]{20,}|sk-(?:proj|svcacct|admin)-[\w-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30,}|github_pat_\w{36,}"
    r"|(?<=Bearer )[\w.~+/-]{20,}=*",
    re.ASCII,
)
# The last in any case, where words of prose are told by their lack of digits.
_BEARER: Final = re.compile(r"(?<=(?i:bearer) )(?=[a-z.~+/_-]*\d)[\w.~+/-]{20,}=*", re.ASCII | re.IGNORECASE)
# Tokens of JSON, and what detect-secrets takes for them. Each pattern takes all characters of a part whether a dot
# follows or not, and it is a token if one does: else each of many beginnings in one long word is followed to its end.
JSON_TOKENS: Final = (
    re.compile(r"eyJ[\w-]{10,}+(\.[\w-]{10,}(?:\.[\w-]+)?)?"),
    re.compile(r"eyJ[A-Za-z0-9_=-]++(\.[A-Za-z0-9_=-]+\.?)?"),
)
# Keys of OpenAI as detect-secrets takes them: a word of these characters, up to what follows the last of these marks.
_OPENAI_WORD: Final = re.compile(r"sk-[A-Za-z0-9_-]{48,}+")
_OPENAI_MARK: Final = "T3BlbkFJ"
_OPENAI_AROUND_MARK: Final = re.compile(rf"{_OPENAI_MARK}(?<=[A-Za-z0-9]{{28}})(?=([A-Za-z0-9]{{20}}))")
# What makers of others document: models' endpoints (Groq, xAI, Perplexity, Replicate, NVIDIA), clouds and servers
# (DigitalOcean, Alibaba, Grafana, Vault, Supabase, Sentry, age), code and packages (Docker, RubyGems, Atlassian, Figma,
# Linear, Postman, Notion), shops (Shopify, Stripe's tests and webhooks), Slack's apps, Google's OAuth.
_MORE_PREFIXED: Final = re.compile(
    starts_after("A-Za-z0-9")
    + r"(?:gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{60,}|pplx-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{37,}"
    r"|nvapi-[\w-]{60,}|do[opr]_v1_[0-9a-f]{64}|LTAI[A-Za-z0-9]{20}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}"
    r"|hv[bs]\.[\w-]{24,}|sbp_[0-9a-f]{40}|sntry[su]_[\w=+/-]{40,}|AGE-SECRET-KEY-1[0-9A-Z]{58}|dckr_pat_[\w-]{27,}"
    r"|rubygems_[0-9a-f]{48}|ATATT3[\w=-]{100,}|figd_[\w-]{40,}|lin_api_[A-Za-z0-9]{40}"
    r"|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|ntn_[A-Za-z0-9]{40,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sk_test_[0-9A-Za-z]{24,}"
    r"|whsec_[A-Za-z0-9+/=]{32,}|xapp-\d-[A-Z0-9]+-\d+-[0-9a-f]{64}|ya29\.[\w-]{30,}|GOCSPX-[\w-]{28})",
    re.ASCII,
)
# Of words in which these find something.
_SHORTEST_PREFIXED: Final = 20
_SHORTEST_MORE_PREFIXED: Final = 24
_NAMED: Final = (*ASSIGNED, "secret", "credential", "auth")
# What is a blank beside those of ASCII.
_OTHER_BLANKS: Final = "\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def finders(phone_region: str | None) -> list[Finder]:
    """Return the rules for what is private whoever wrote it; what an earlier one finds is not looked at by later ones.

    Args:
        phone_region: the country (two letters) whose national phone numbers are found too; None for international
            ones only.

    Raises:
        MissingExtraError: a package of the extra is not installed.
    """
    phones = _phone_finder(phone_region)
    return [private_keys, secrets, emails, ibans, cards, phones, home_folders]


def word_finders(own_words: Sequence[str], user_names: Sequence[str]) -> list[Finder]:
    """Return the rules for words, each of which is found wherever it stands, also where they overlap.

    Args:
        own_words: words and names of the user's choice.
        user_names: names of accounts on this machine.
    """
    words = [("NAME", own_words), ("USER", user_names)]
    return [_word_finder(rule, each) for rule, each in words if each]


def emails(text: str) -> Iterator[Span]:
    """Find e-mail addresses."""
    if "@" in text:
        for pattern in (_EMAIL, _EMAIL_IN_ANY_SCRIPT):
            yield from (Span(*match.span(), "EMAIL") for match in pattern.finditer(text))


def ibans(text: str) -> Iterator[Span]:
    """Find account numbers whose check digits are right."""
    return (Span(*span, "IBAN") for span in ibans_in(text))


def cards(text: str) -> Iterator[Span]:
    """Find card numbers whose check digit is right."""
    return (Span(*span, "CARD") for span in cards_in(text))


def home_folders(text: str) -> Iterator[Span]:
    """Find the names of users in paths of home folders."""
    return (Span(*span, "USER") for span in users_of_home_folders(text))


def private_keys(text: str) -> Iterator[Span]:
    """Find private keys in PEM, to their end or that of the text."""
    if "PRIVATE KEY" in text:
        yield from (Span(*match.span(), "SECRET") for match in _PRIVATE_KEY.finditer(text))


def secrets(text: str) -> Iterator[Span]:
    """Find keys of services, tokens and passwords."""
    traits = Traits.of(text)
    if traits.longest_word >= _SHORTEST_PREFIXED:
        yield from (Span(*match.span(), "SECRET") for match in _PREFIXED.finditer(text))
    if "bearer " in traits.lowered:
        yield from (Span(*match.span(), "SECRET") for match in _BEARER.finditer(text))
    yield from (Span(*span, "SECRET") for span in secrets_of_urls(text))
    for pattern in JSON_TOKENS:
        yield from (Span(*match.span(), "SECRET") for match in pattern.finditer(text) if match[1])
    yield from openai_keys(text)
    shaped, assigned = _detectors()
    if traits.longest_word >= _SHORTEST_MORE_PREFIXED:
        yield from (Span(*match.span(), "SECRET") for match in _MORE_PREFIXED.finditer(text))
    may_be_long_enough = takewhile(lambda rule: rule.shortest_word <= traits.longest_word, PROVIDERS)
    for rule in chain(shaped, may_be_long_enough):
        if rule.may_find(traits):
            yield from (Span(*match.span(), "SECRET") for match in rule.pattern.finditer(text))
    if may_name_secret(traits.lowered):
        yield from (Span(*span, "SECRET") for span in set_values(text))
        yield from (Span(*span, "SECRET") for span in assigned.find(text))


def may_name_secret(lowered: str) -> bool:
    """Tell whether a text has a word in it by which variables and fields of secrets are named."""
    return any(name in lowered for name in _NAMED)


def openai_keys(text: str) -> Iterator[Span]:
    """Find keys of OpenAI. The pattern of detect-secrets follows each of many beginnings in one word to its end."""
    if _OPENAI_MARK in text:
        for word in _OPENAI_WORD.finditer(text):
            ends = [match.end(1) for match in _OPENAI_AROUND_MARK.finditer(word[0])]
            if ends:
                yield Span(word.start(), word.start() + ends[-1], "SECRET")


@cache
def _detectors() -> tuple[list[ShapedRule], AssignedValues]:
    """Return detect-secrets' rules for keys with a shape of their own, and those for assigned values."""
    return list(shaped_rules()), AssignedValues(_optional("detect_secrets.plugins.keyword"))


def shaped_rules() -> Iterator[ShapedRule]:
    """Yield the patterns of detect-secrets, but for those that this module has rules of its own for.

    Raises:
        MissingExtraError: it is not installed.
    """
    util = _optional("detect_secrets.core.plugins.util")
    left_out = {f"{name}Detector" for name in ("IPPublic", "BasicAuth", "JwtToken", "PrivateKey", "Keyword", "OpenAI")}
    classes: Iterable[Any] = util.get_mapping_from_secret_type_to_class().values()
    for cls in sorted(classes, key=lambda cls: str(cls.__name__)):
        if hasattr(cls, "denylist") and cls.__name__ not in left_out:
            for pattern in cls().denylist:
                known = NEEDLES if pattern.flags & re.IGNORECASE else NEEDLES_IN_CASE
                # Keys are ASCII: a letter of another script beside one is not part of it. Blanks are of any script.
                in_ascii = pattern.pattern.replace(r"\s", rf"[\s{_OTHER_BLANKS}]")
                compiled = re.compile(in_ascii, pattern.flags & ~re.UNICODE | re.ASCII)
                yield ShapedRule(compiled, *known.get(cls.__name__, (0, ())))


def _optional(module: str) -> Any:
    return import_optional(module, extra=EXTRA, purpose="redaction (--no-redact declines it)")


def _phone_finder(region: str | None) -> Finder:
    phonenumbers = _optional("phonenumbers")
    _detectors()  # what is missing is said before anything is read
    region = None if region is None else region.upper()
    if region is not None and region not in phonenumbers.SUPPORTED_REGIONS:
        raise ConfigurationError(
            f"{region!r} is no country with phone numbers: it is named by two letters, such as DE, US, or GB for the "
            "United Kingdom"
        )

    def phones(text: str) -> Iterator[Span]:
        for match in phonenumbers.PhoneNumberMatcher(text, region, max_tries=1 << 20):
            if region is not None or match.raw_string.startswith("+"):
                yield Span(match.start, match.end, "PHONE")

    candidate = re.compile(r"\+|\d" if region else r"\+")

    def candidates(text: str) -> Iterator[Span]:
        return phones(text) if candidate.search(text) else iter(())

    return candidates


def _word_finder(rule: str, words: Sequence[str]) -> Finder:
    pattern = words_pattern(words)

    def found(text: str) -> Iterator[Span]:
        return (Span(*match.span(1), rule) for match in pattern.finditer(text))

    return found
