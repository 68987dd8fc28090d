"""An archive of sessions with facts in them, made from a seed, and the questions about these facts.

A fact stands in one exchange of a session about other things, as LongMemEval hides its evidence. Many sessions share
subject, thing or person, so that a question has dozens of near misses.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from benchmarks.quality.fillers import FOLLOW_UPS, NONSENSE, UNASKED, filler
from benchmarks.quality.more_subjects import MORE_SUBJECTS
from benchmarks.quality.questions import Asked, Kind, Question
from benchmarks.quality.sessions import Session, write_sessions
from benchmarks.quality.subjects import PEOPLE, SUBJECTS, Pair, Subject

NOW: Final = datetime(2025, 6, 18, 12, tzinfo=UTC)
FIRST: Final = datetime(2023, 6, 1, 9, tzinfo=UTC)
# Things at the end of each list are never spoken of.
_UNUSED_THINGS: Final = 2
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Fact:
    """What was said once, and where."""

    subject: Subject
    thing: Pair
    who: Pair
    detail: str
    advice: Pair
    session: Session
    exchange: int

    @property
    def question_message(self) -> str:
        return self.session.message(self.exchange, 0)

    @property
    def answer_message(self) -> str:
        return self.session.message(self.exchange, 1)

    @property
    def gold(self) -> dict[str, frozenset[str]]:
        return {self.session.name: frozenset({self.question_message})}

    def asked(self, template: str, said: int) -> str:
        """Return a question in the words of the session (0) or in others (1)."""
        text = template.format(thing=self.thing[said], who=self.who[said])
        return text[0].upper() + text[1:]


class _Archive:
    """The sessions and questions under construction."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.sessions: list[Session] = []
        self.questions: list[Question] = []

    def moment(self) -> datetime:
        """Return a time before the last two months, which the temporal questions have for themselves."""
        days = (NOW - FIRST).days - 60
        return FIRST + timedelta(days=self.chance.randrange(days), minutes=self.chance.randrange(600))

    def session(self, start: datetime | None = None) -> Session:
        session = Session(f"s{len(self.sessions):05}", "", start or self.moment())
        self.sessions.append(session)
        return session

    def fill(self, session: Session, exchanges: int) -> None:
        """Add exchanges about other things."""
        for _ in range(exchanges):
            title, question, answer = filler(self.chance)
            session.title = session.title or title
            session.exchanges.append((question, answer))
            if self.chance.random() < 0.3:
                session.exchanges.append(self.chance.choice(FOLLOW_UPS))

    def fact(
        self, subject: Subject, thing: Pair, who: Pair, *, start: datetime | None = None, detail: str | None = None
    ) -> _Fact:
        """Add a session in which a fact is told."""
        session = self.session(start)
        detail = detail or self.chance.choice(subject.details)
        advice = self.chance.choice(subject.advice)
        if self.chance.random() < 0.5:
            self.fill(session, self.chance.randrange(1, 3))
        else:
            session.title = subject.title
        exchange = len(session.exchanges)
        said = subject.said.format(thing=thing[0], who=who[0], detail=detail)
        reply = subject.reply.format(thing=thing[0], advice=advice[0])
        session.exchanges.append((said[0].upper() + said[1:], reply))
        session.exchanges += self.chance.sample(FOLLOW_UPS, self.chance.randrange(3))
        self.fill(session, self.chance.randrange(2))
        return _Fact(subject, thing, who, detail, advice, session, exchange)

    def ask(self, kind: Kind, text: str, *facts: _Fact, outdated: frozenset[str] = frozenset()) -> None:
        """Add a question that the facts answer."""
        gold = {name: messages for fact in facts for name, messages in fact.gold.items()}
        self.questions.append(Question(f"{kind.name}:{text}", kind, text, gold, outdated))


def generate(folder: Path, *, seed: int, fillers: int) -> Asked:
    """Write the archive and return what is asked of it.

    Args:
        folder: for the export.
        seed: of everything.
        fillers: sessions without any fact.
    """
    archive = _Archive(seed)
    for subject in (*SUBJECTS, *MORE_SUBJECTS):
        _facts_of(archive, subject)
    for _ in range(fillers):
        archive.fill(archive.session(), archive.chance.randrange(1, 5))
    for kind, texts in ((Kind.UNASKED, UNASKED), (Kind.NONSENSE, NONSENSE)):
        for text in texts:
            archive.ask(kind, text)
    files = [write_sessions(folder / "generated.json", archive.sessions)]
    return Asked("generated", files, {"generated": archive.questions}, NOW)


def _facts_of(archive: _Archive, subject: Subject) -> None:
    """Add all sessions and questions of a subject."""
    used, unused = subject.things[:-_UNUSED_THINGS], subject.things[-_UNUSED_THINGS:]
    people = archive.chance.sample(PEOPLE, len(PEOPLE))
    once, changing, dated = people[:4], people[4:6], people[6:]
    _told_once(archive, subject, used, once)
    _told_anew(archive, subject, used[:3], changing)
    _told_often(archive, subject, used[3:], dated)
    for thing in unused:
        who = archive.chance.choice(once)
        text = subject.asked[0].format(thing=thing[0], who=who[0])
        archive.ask(Kind.ABSENT, text[0].upper() + text[1:])


def _told_once(archive: _Archive, subject: Subject, things: tuple[Pair, ...], people: list[Pair]) -> None:
    by_person: dict[Pair, list[_Fact]] = {who: [] for who in people}
    for number, thing in enumerate(things):
        for who in (people[number % len(people)], people[(number + 1) % len(people)]):
            fact = archive.fact(subject, thing, who)
            by_person[who].append(fact)
            archive.ask(Kind.SINGLE, fact.asked(subject.asked[0], 0), fact)
            archive.ask(Kind.PARAPHRASED, fact.asked(subject.asked[1], 1), fact)
        archive.questions.append(_about_advice(archive, subject, thing, by_person))
    for who, facts in by_person.items():
        text = subject.counted.format(who=who[0])
        archive.ask(Kind.MULTI, text[0].upper() + text[1:], *facts)


def _about_advice(archive: _Archive, subject: Subject, thing: Pair, by_person: dict[Pair, list[_Fact]]) -> Question:
    """Return a question for what the assistant said: all sessions on the thing with that advice are right."""
    facts = [fact for facts in by_person.values() for fact in facts if fact.thing == thing]
    asked_of = archive.chance.choice(facts)
    right = {fact.session.name: frozenset({fact.answer_message}) for fact in facts if fact.advice == asked_of.advice}
    text = f"Did you tell me to {asked_of.advice[1]} because of the {thing[0]}?"
    return Question(f"{Kind.ASSISTANT.name}:{subject.title}:{text}", Kind.ASSISTANT, text, right)


def _told_anew(archive: _Archive, subject: Subject, things: tuple[Pair, ...], people: list[Pair]) -> None:
    """Add facts that change: the later session is right, the earlier one was."""
    for thing, who in zip(things, _round(people), strict=False):
        first, second = archive.chance.sample(subject.details, 2)
        start = archive.moment()
        later = min(start + timedelta(days=archive.chance.randrange(5, 40)), NOW - timedelta(days=61))
        old = archive.fact(subject, thing, who, start=start, detail=first)
        new = archive.fact(subject, thing, who, start=later, detail=second)
        text = f"The {thing[0]} and {who[0]}: how do things stand now, after the last change?"
        archive.ask(Kind.UPDATED, text, new, outdated=frozenset({old.session.name}))


def _told_often(archive: _Archive, subject: Subject, things: tuple[Pair, ...], people: list[Pair]) -> None:
    """Add facts that were told in several months; a question names one of the times."""
    for thing, who in zip(things, _round(people), strict=False):
        for asked, start in _times(archive.chance):
            fact = archive.fact(subject, thing, who, start=start)
            if asked is not None:
                text = f"What did I say of the {thing[0]} and {who[0]} {asked}?"
                archive.ask(Kind.TEMPORAL, text, fact)


def _times(chance: random.Random) -> Iterator[tuple[str | None, datetime]]:
    """Yield times and how they are asked for; None where they are only there to be confused with."""
    year, month = chance.choice((2023, 2024)), chance.randrange(7, 13)
    yield f"in {_MONTHS[month - 1]} {year}", datetime(year, month, chance.randrange(1, 28), 10, tzinfo=UTC)
    yield None, datetime(2024, chance.randrange(1, 6), chance.randrange(1, 28), 11, tzinfo=UTC)
    yield None, datetime(2025, chance.randrange(1, 4), chance.randrange(1, 28), 15, tzinfo=UTC)
    yield chance.choice(
        (
            ("yesterday", NOW - timedelta(days=1)),
            ("last week", NOW - timedelta(days=7)),
            ("last month", datetime(2025, 5, chance.randrange(2, 30), 8, tzinfo=UTC)),
            ("three weeks ago", NOW - timedelta(days=21)),
        )
    )


def _round(people: list[Pair]) -> Iterator[Pair]:
    while True:
        yield from people
