"""Exchanges that have nothing to do with any fact: most of what an archive holds."""

from __future__ import annotations

import random
from typing import Final

_NAMES: Final = ("orders", "sensors", "invoices", "players", "readings", "tickets", "parcels", "songs")
_TOOLS: Final = ("pandas", "awk", "SQL", "a spreadsheet", "Rust", "a shell script", "JavaScript", "plain Python")
_FOODS: Final = ("lentils", "leeks", "chickpeas", "mackerel", "barley", "pumpkin", "spinach", "mushrooms")
_THEMES: Final = (
    "the printing press",
    "tides",
    "inflation",
    "photosynthesis",
    "the Hanseatic League",
    "glaciers",
    "vaccines",
    "black holes",
    "the Silk Road",
    "noise cancelling",
)
_TONES: Final = ("friendly", "formal", "short", "firm", "funny", "polite")

# Title, question, answer; {name}, {tool}, {food}, {theme}, {tone}, {n} and {m} are filled in.
_EXCHANGES: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "Grouping {name}",
        "How do I group {name} by week with {tool} when {n} rows have no date?",
        (
            "Drop or impute the {n} undated rows first, then truncate each date to its Monday and "
            "aggregate. With {tool} that is one statement; check that the sum over all weeks equals the "
            "total of the {name}."
        ),
    ),
    (
        "Dinner with {food}",
        "What can I cook with {food} and rice in {n} minutes?",
        (
            "Fry an onion, add the {food} and some cumin, pour in stock and simmer. Serve over the rice "
            "with yoghurt. It takes {n} minutes if the rice starts first."
        ),
    ),
    (
        "About {theme}",
        "Explain {theme} to me as if I were {m}.",
        (
            "Think of {theme} as a very large machine with simple parts. Each part does one small thing, "
            "and together they change the world around them. A child of {m} can try this with a glass of "
            "water and a torch."
        ),
    ),
    (
        "A {tone} mail",
        "Write a {tone} mail to the landlord that the radiator on floor {m} has been cold for {n} days.",
        (
            "Subject: Radiator on floor {m}. Dear Sir or Madam, the radiator has been cold for {n} days. "
            "Please send somebody this week and tell me when. Kind regards."
        ),
    ),
    (
        "Slow query",
        "My query over {n} thousand {name} takes {m} seconds. Which index do I need?",
        (
            "Look at the plan first. If it reads the whole table of {name}, an index on the column of the "
            "condition helps; with {n} thousand rows it should take milliseconds then, not {m} seconds."
        ),
    ),
    (
        "Error in {tool}",
        "I get 'index {n} is out of bounds' in {tool} at line {m}. Why?",
        (
            "Something counts from one where it should count from zero. Print the length before line {m}; "
            "with {tool} the last valid index is the length minus one, so {n} is one too many."
        ),
    ),
    (
        "Naming things",
        "Give me {m} names for an app that sorts {name}.",
        (
            "Here are some: Sortly, Pile, Tidy Row, Shelf, Heap of {name}, Orderly. I like Shelf best, as "
            "it says what it does and is short."
        ),
    ),
    (
        "Story",
        "Write the beginning of a story about {theme} in which it rains for {n} days.",
        (
            "On the first day nobody noticed. By the third, all the village spoke of {theme}, and by the "
            "last of the {n} days they had built a boat out of doors."
        ),
    ),
    (
        "Quiz",
        "Make a quiz with {m} questions on {theme}.",
        (
            "1. When was it first described? 2. Who opposed it? 3. Which everyday object shows it? The "
            "answers are below; give one point for each, and a bonus for a good reason."
        ),
    ),
    (
        "Percentages",
        "If {n} of 480 {name} are late, what share is that, and how many may be late for {m} %?",
        (
            "Divide {n} by 480 and multiply by one hundred. For {m} % it may be 4.8 times {m}. Round down, "
            "as half of one of the {name} cannot be late."
        ),
    ),
    (
        "Summary",
        "Summarise the usual arguments about {theme} in {m} points, {tone} please.",
        (
            "Those in favour point to growth and knowledge, those against to cost and risk. A third group "
            "waits. The disagreement about {theme} is mostly one of values, not of facts."
        ),
    ),
    (
        "Weekly menu",
        "Plan dinners for {m} days with {food}, no meat, below {n} euros.",
        (
            "Monday soup with {food}, Tuesday a gratin, Wednesday what is left, Thursday pasta, Friday "
            "curry. Shopping is less than {n} euros at a market."
        ),
    ),
)

FOLLOW_UPS: Final[tuple[tuple[str, str], ...]] = (
    ("Can you make that shorter?", "In one sentence: begin with the first step today and leave the rest for later."),
    ("How long will it take?", "About two hours, if nothing unexpected comes up. Plan half a day to be safe."),
    ("What would it cost?", "Somewhere between nothing and forty euros, depending on what you already have."),
    ("And if that does not help?", "Then ask somebody who can look at it in person; I can only guess from here."),
    ("Thanks, that helps.", "You are welcome. Tell me how it went."),
    (
        "Why in this order?",
        "Because the later steps depend on the earlier ones, and the first is cheap to undo.",
    ),
)


def filler(chance: random.Random) -> tuple[str, str, str]:
    """Return title, question and answer of an exchange."""
    values = {
        "name": chance.choice(_NAMES),
        "tool": chance.choice(_TOOLS),
        "food": chance.choice(_FOODS),
        "theme": chance.choice(_THEMES),
        "tone": chance.choice(_TONES),
        "n": chance.randrange(11, 99),
        "m": chance.randrange(3, 11),
    }
    title, question, answer = (text.format(**values) for text in chance.choice(_EXCHANGES))
    return title, question, answer


# Questions on what no session speaks of, and words that nobody ever wrote.
UNASKED: Final = (
    "difference between TCP and UDP",
    "explain monads in simple terms",
    "how do volcanoes form below the ocean",
    "rules of offside in soccer",
    "which mortgage is best for a first house",
    "how to tie a bow tie",
    "what is the plot of Hamlet",
    "symptoms of iron deficiency",
    "best fertiliser against moss on a roof",
    "how is champagne made",
    "what does the constitution say on impeachment",
    "how to descale an espresso machine",
    "who invented the zipper",
    "how to train for a pull-up",
    "why do cats purr",
    "what is a leap second",
    "how do noise barriers along motorways work",
    "is it legal to fly a drone over a beach",
    "how to remove red wine from a carpet",
    "chords of a twelve-bar blues",
    "how are diamonds graded",
    "what is the half-life of caesium",
    "how does a sextant work",
    "treaty of Westphalia consequences",
    "how to knit a sock heel",
    "what is a convertible bond",
    "how to read an electrocardiogram",
    "what is the difference between fog and mist",
    "how do I waterproof a tent seam",
    "which planets have rings",
    "how do elevators know where to stop",
    "how to write a haiku",
    "what causes earthquakes in Japan",
    "how to sharpen a chainsaw",
    "what do bees do in winter",
    "how does blockchain consensus work",
    "why was the Berlin wall built",
    "how to fold a fitted sheet",
    "what is gluten",
    "how does a heat pump work",
)
NONSENSE: Final = (
    "blorptang",
    "zzyqx vrumfle",
    "quonfeltrish",
    "wibblefrotz nargle",
    "xqjzkv",
    "flimbertwaddle grontz",
    "ptokkaru",
    "snarvolent bimbryx ompto",
    "grelbuq",
    "asdf qwer zxcv",
    "vlonderkip",
    "mubblethrax yorndle",
    "krizzwump",
    "ohnibbuk tarsevlo",
    "jjjjkkkk",
    "drumboz fleegle",
    "trangwizzle",
    "obfluquent",
    "skrimmelda hoxt",
    "yuvvapront",
)
