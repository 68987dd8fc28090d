# ruff: noqa: RUF001 - letters of other alphabets look like Latin ones
"""What tokens of ``o200k_base`` cost in a language: fitted to published translations, which docs/context.md names.

Letters of one script cost differently by language, so the language is guessed by frequent short words. They are those
that both fitted sources have often, and other languages of the script seldom; single letters are left out, which are
names in code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final


@dataclass(frozen=True, slots=True)
class Language:
    """A language of a script.

    Attributes:
        name: in English.
        per_letter: tokens of a letter, beside ``per_word`` of its script.
        frequency: of ``words`` among all words of its texts.
        words: by which it is recognised.
    """

    name: str
    per_letter: float
    frequency: float
    words: frozenset[str]


@dataclass(frozen=True)
class Script:
    """Letters that several languages are written with.

    Attributes:
        per_word: tokens of a word, whatever its letters.
        languages: those that are told apart; the first one is meant where no word is recognised.
    """

    per_word: float
    languages: Sequence[Language]

    @cached_property
    def evidence(self) -> Mapping[str, Sequence[tuple[str, float]]]:
        """Word by which languages are recognised -> the name of each, and how many words of it that stands for."""
        owners: dict[str, list[Language]] = {}
        for language in self.languages:
            for word in language.words:
                owners.setdefault(word, []).append(language)
        return {
            word: [(language.name, 1 / language.frequency / len(having)) for language in having]
            for word, having in owners.items()
        }


def _language(name: str, per_letter: float, frequency: float, words: str) -> Language:
    return Language(name, per_letter, frequency, frozenset(words.split()))


# Its words are counted by their length: most are one token.
ENGLISH: Final = _language(
    "English",
    0.0,
    0.39,
    "the of and to in is that it for was with as on be this are or by not you from have at an we can if which will "
    "has but",
)

LATIN: Final = Script(
    0.2,
    (
        ENGLISH,
        _language("Vietnamese", 0.28, 0.16, "không có được các của là và số tự một hoặc chỉ hợp cho"),
        _language(
            "Indonesian", 0.22, 0.19, "yang tidak untuk dari dengan atau dalam ini dapat dan telah sama nilai ke"
        ),
        _language("Polish", 0.32, 0.12, "ma nie że jest lub się dla być aby może są które do można"),
        _language("Czech", 0.35, 0.08, "nebo být pro že pokud jsou má stejné při je na jejich bylo podle"),
        _language("Slovak", 0.35, 0.12, "sa alebo pre byť ako že je všetky má sú na ak či vo"),
        _language("Slovenian", 0.32, 0.1, "kot ali mora ni ima ker biti je mogoče bi ne za lahko skupno"),
        _language("Croatian", 0.28, 0.12, "ili ima da kao sve koji ne za će je od može isto biti"),
        _language("Hungarian", 0.35, 0.14, "az nem hogy vagy és egy minden meg kell lehet mint egyes összes van"),
        _language("Italian", 0.24, 0.15, "di non che il essere stato per della dei dell come tutti sono sia"),
        _language("Spanish", 0.17, 0.22, "el los de las por tiene para la no que más del es como"),
        _language("Portuguese", 0.2, 0.16, "não tem em para um de sua os uma ou por que com mais"),
        _language("French", 0.19, 0.19, "est les le de pour pas du être une des été la qu ou"),
        _language("Catalan", 0.29, 0.2, "els el per les de la té amb més és com no que dels"),
        _language("Romanian", 0.29, 0.21, "nu în să are este că și sau pentru cu ca de fi din"),
        _language("German", 0.2, 0.19, "die und ist das für von der werden nicht oder auf zu mit eine"),
        _language("Dutch", 0.21, 0.25, "van het een zijn voor dat te op niet is met deze de of"),
        _language("Swedish", 0.27, 0.18, "att för är och till av varje har denna som eller från vara vid"),
        _language("Danish", 0.28, 0.22, "af skal til og er ikke for at har der hvis eller som med"),
        _language("Norwegian", 0.26, 0.22, "ikke er og til av for som har eller kan denne med det på"),
        _language("Finnish", 0.31, 0.14, "ei tai on ja tämän ovat tulee myös että sekä jotta kaikki vain sen"),
        _language("Estonian", 0.3, 0.16, "kui või on peab ja ei olema kõik et oma seda poolt oleks iga"),
        _language("Lithuanian", 0.35, 0.14, "kad yra arba ir iš turi būti kaip bus nuo su jau negali buvo"),
        _language("Latvian", 0.36, 0.13, "nav ir vai uz ar jābūt ka lai kā tika tikai šo arī tā"),
        _language("Turkish", 0.28, 0.12, "bir ve bu için veya her ile olarak daha ancak göre yerine tek son"),
    ),
)

CYRILLIC: Final = Script(
    0.51,
    (
        _language("Russian", 0.17, 0.13, "что быть как имеет для может должно не чтобы все или его их от"),
        _language("Ukrainian", 0.28, 0.13, "що бути та або має до для не від час об всі щоб будь"),
        _language("Bulgarian", 0.25, 0.21, "на да че трябва се като от този за има всеки по към всички"),
        _language("Serbian", 0.33, 0.16, "је да од као бити има са за се су ће само не или"),
    ),
)

ARABIC: Final = Script(
    0.04,
    (
        _language("Arabic", 0.35, 0.18, "في لا على من أو أن أي هذا غير كان إلى دون هذه جميع"),
        _language("Persian", 0.38, 0.22, "در از را برای یک به است که با این باشد یا شده دارد"),
        _language("Urdu", 0.39, 0.25, "کی کے میں سے کا اس کہ کو یہ کر جو اور نہیں لئے"),
    ),
)
