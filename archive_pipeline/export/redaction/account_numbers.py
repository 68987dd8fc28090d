"""Numbers of bank accounts and cards, whose check digits tell them from other numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from archive_pipeline.export.redaction.scripts import first_after

# Between the groups of a number: blanks of one width or another, at which no line breaks.
_BLANK: Final = " \u00a0\u2007\u2009\u202f"
_IBAN: Final = re.compile(
    rf"{first_after('[A-Z]', 'A-Za-z0-9')}[A-Z]\d{{2}}(?:[{_BLANK}]?[A-Z0-9]{{4}}){{2,7}}"
    rf"(?:[{_BLANK}]?[A-Z0-9]{{1,3}})?(?![A-Za-z0-9])"
)
# Hashes and ids look the same, and one in a hundred has right check digits: country and length have to be right, too.
_IBAN_IN_SMALL_LETTERS: Final = re.compile(
    r"\d(?<=[a-z]{2}\d)(?:(?<![A-Za-z0-9][a-z]{2}\d)|(?<=\\[nrt][a-z]{2}\d))\d[a-z0-9]{11,30}(?![A-Za-z0-9])"
)
# As the registry of IBANs (SWIFT) has them.
_LENGTHS: Final = {
    country: length
    for length, countries in {
        15: "no",
        16: "be",
        18: "dk fi fk fo gl nl sd",
        19: "mk si",
        20: "at ba ee kz lt lu mn xk",
        21: "ch cr hr li lv",
        22: "bg bh de gb ge ie me rs va",
        23: "ae gi il iq om so tl",
        24: "ad cz es md pk ro sa se sk tn vg",
        25: "ly pt st",
        26: "is tr",
        27: "bi dj fr gr it mc mr sm",
        28: "al az by cy do gt hu lb ni pl sv",
        29: "br eg ps qa ua",
        30: "jo kw mu",
        31: "mt sc",
        32: "lc",
        33: "ru",
    }.items()
    for country in countries.split()
}
# The first digit is looked for before what is before it, as in `first_after`.
_CARD: Final = re.compile(rf"[2-6](?<![\d.,-].)\d{{3}}(?:[{_BLANK}-]?\d{{2,6}}){{2,4}}(?![\d-]|[.,]\d)")
# A comma beside it is one of a list: no number has so many digits behind or before a decimal comma.
_CARD_IN_LIST: Final = re.compile(rf"[2-6](?<![\d.-].)\d{{3}}(?:[{_BLANK}-]?\d{{2,6}}){{2,4}}(?![\d-]|\.\d)")
_CARD_DIGITS: Final = range(13, 20)


def ibans_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where account numbers stand whose check digits are right (ISO 13616, modulo 97)."""
    place = 0
    while (match := _IBAN.search(text, place)) is not None:
        is_right = is_iban(re.sub(f"[{_BLANK}]", "", match[0]))
        if is_right:
            yield match.span()
        place = match.end() if is_right else match.start() + 1  # a number may begin within what is none
    for match in _IBAN_IN_SMALL_LETTERS.finditer(text):
        start, end = match.start() - 2, match.end()
        if _LENGTHS.get(text[start : start + 2]) == end - start and is_iban(text[start:end]):
            yield start, end


def is_iban(number: str) -> bool:
    """Return whether the check digits of an account number without spaces are right."""
    digits = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
    return int(digits) % 97 == 1


def cards_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where card numbers stand whose check digit is right (ISO 7812, Luhn)."""
    # Each of them takes for the beginning of a number what the other one does not.
    for match in chain(_CARD.finditer(text), _CARD_IN_LIST.finditer(text) if "," in text else ()):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) in _CARD_DIGITS and len(set(digits)) > 1 and has_luhn_digit(digits):
            yield match.span()


def has_luhn_digit(digits: str) -> bool:
    """Return whether the last digit is the check digit of the others."""
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0
