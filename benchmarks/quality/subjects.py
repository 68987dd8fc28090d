"""What people tell an assistant in passing, and how they ask for it later in other words.

Every pair is (as it was said, as it is asked for). The pools are small on purpose: many sessions speak of the same
subject, so that only the thing and the person tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Subject:
    """One kind of fact.

    Attributes:
        title: of sessions in which it is the matter.
        said: a user's statement, with ``{thing}``, ``{who}`` and ``{detail}``.
        reply: the assistant's answer, with ``{thing}`` and ``{advice}``.
        asked: questions for the detail.
        counted: a question for all things of one person.
        things: what it is about.
        details: what is asked for.
        advice: what only the assistant says.
    """

    title: str
    said: str
    reply: str
    asked: tuple[str, str]
    counted: str
    things: tuple[Pair, ...]
    details: tuple[str, ...]
    advice: tuple[Pair, ...]


PEOPLE: Final[tuple[Pair, ...]] = (
    ("my sister Ines", "my sister"),
    ("our neighbour Tomas", "the man next door"),
    ("my daughter", "my girl"),
    ("a colleague from the office", "my coworker"),
    ("my father", "my dad"),
    ("an old friend from school", "my schoolmate"),
    ("my grandmother", "grandma"),
    ("my wife", "my spouse"),
)

SUBJECTS: Final[tuple[Subject, ...]] = (
    Subject(
        "Baking help",
        "I baked a {thing} for {who} yesterday and {detail}. What should I change before the weekend?",
        "For a {thing} I would {advice}. Let it rest before you cut it, and weigh what you put in.",
        ("What went wrong with the {thing} I made for {who}?", "How did the {thing} that {who} got from me turn out?"),
        "Which cakes and pastries have I baked for {who}?",
        (
            ("lemon tart", "citrus pastry"),
            ("rye loaf", "dark bread"),
            ("carrot cake", "vegetable sponge"),
            ("cheese scones", "savoury buns"),
            ("apple strudel", "rolled fruit pastry"),
            ("ginger biscuits", "spiced cookies"),
            ("chocolate torte", "cocoa cake"),
            ("plum crumble", "stone fruit dessert"),
        ),
        (
            "the middle stayed raw",
            "the bottom was burnt",
            "it tasted far too salty",
            "it collapsed when I opened the oven",
            "the crust was as hard as stone",
        ),
        (
            ("lower the heat by twenty degrees", "reduce the temperature"),
            ("put a tray of water below it", "add steam"),
            ("chill the dough overnight", "keep it in the fridge until morning"),
        ),
    ),
    Subject(
        "Doctor's visit",
        "I have to bring {who} to the {thing} because {detail}. What should we prepare for the appointment?",
        "Write the symptoms down with dates. Before seeing the {thing}, {advice}, and take along the medicines.",
        ("Why did {who} need the {thing}?", "What was the reason for taking {who} to the {thing}?"),
        "Which doctors did I have to take {who} to?",
        (
            ("dermatologist", "skin doctor"),
            ("orthodontist", "specialist for braces"),
            ("cardiologist", "heart doctor"),
            ("optician", "eye test"),
            ("physiotherapist", "person for exercises and massage"),
            ("allergist", "clinic for hay fever"),
            ("audiologist", "hearing test"),
            ("podiatrist", "foot specialist"),
        ),
        (
            "there has been a rash since April",
            "the old prescription no longer fits",
            "the insurance asks for a report",
            "the pain comes back every morning",
            "a follow-up was due six weeks ago",
        ),
        (
            ("avoid coffee on that day", "drink no caffeine"),
            ("take photographs of it", "bring pictures"),
            ("ask for the earlier findings", "get the previous results"),
        ),
    ),
    Subject(
        "Travel plans",
        "{who} and I are going to {thing} and {detail}. Can you suggest an order for the days?",
        "In {thing} I would begin with the old town and keep the last day free. Whatever you choose, {advice}.",
        ("What was arranged for the trip to {thing} with {who}?", "How do {who} and I travel when we visit {thing}?"),
        "To which places do I travel with {who}?",
        (
            ("Lisbon", "the capital of Portugal"),
            ("Kyoto", "the old Japanese city of temples"),
            ("Reykjavik", "Iceland"),
            ("Edinburgh", "the Scottish capital"),
            ("Marrakesh", "Morocco"),
            ("Vienna", "the capital of Austria"),
            ("Quebec", "French Canada"),
            ("Hanoi", "Vietnam"),
        ),
        (
            "we booked the night train",
            "our hotel is beside the harbour",
            "we fly with hand luggage only",
            "we rented a flat for nine nights",
            "we have tickets for the opera",
        ),
        (
            ("buy the museum pass online", "get admission in advance"),
            ("carry some cash", "have banknotes"),
            ("reserve a table for the first evening", "book dinner"),
        ),
    ),
    Subject(
        "Repair at home",
        "The {thing} at the house of {who} is broken: {detail}. Can I fix it myself?",
        "Often yes. Switch the {thing} off and unplug it first, then {advice}. If not, call a technician.",
        ("What is the fault of the {thing} at {who}'s place?", "What did I say was the matter with {who}'s {thing}?"),
        "Which appliances at the home of {who} were broken?",
        (
            ("dishwasher", "machine that cleans plates"),
            ("boiler", "hot water heater"),
            ("tumble dryer", "laundry drying machine"),
            ("refrigerator", "fridge"),
            ("doorbell", "chime at the entrance"),
            ("garage door", "gate for the car"),
            ("toilet cistern", "loo flush"),
            ("smoke detector", "fire alarm"),
        ),
        (
            "it leaks after ten minutes",
            "it shows the error E24",
            "it beeps three times every night",
            "it hums and does nothing",
            "there is a smell of hot plastic",
        ),
        (
            ("clean the filter", "remove the dirt from the sieve"),
            ("replace the seal", "put in a new gasket"),
            ("measure the voltage", "test the current"),
        ),
    ),
    Subject(
        "A present",
        "For the birthday of {who} I bought a {thing}; {detail}. Could you help me write a card?",
        "Happy birthday, and enjoy the {thing}! In the card you could mention that you remember {advice}.",
        ("What about the {thing} I gave {who}?", "What did I mention on the {thing} as a gift for {who}?"),
        "What presents have I given {who}?",
        (
            ("fountain pen", "writing instrument with ink"),
            ("telescope", "device for looking at stars"),
            ("chess set", "board game with kings and pawns"),
            ("wool scarf", "warm neckwear"),
            ("bicycle helmet", "head protection for cycling"),
            ("ceramic teapot", "pottery for brewing"),
            ("ukulele", "small guitar"),
            ("bird feeder", "box of seeds for sparrows"),
        ),
        (
            "it cost 84 euros",
            "it is engraved with a date",
            "the shop wrapped it in blue paper",
            "it arrives two days late",
            "I can return it until March",
        ),
        (
            ("the summer at the lake", "that holiday by the water"),
            ("the first concert together", "an evening of music"),
            ("the walk in the snow", "a winter stroll"),
        ),
    ),
    Subject(
        "Garden question",
        "The {thing} in the garden of {who} has a problem: {detail}. What can be done?",
        "A {thing} usually recovers. I suggest to {advice} and to wait two weeks before doing anything else.",
        ("What was wrong with the {thing} that {who} grows?", "How was {who}'s {thing} doing?"),
        "Which plants of {who} had problems?",
        (
            ("rose bush", "thorny shrub with blossoms"),
            ("tomato plant", "red salad vegetable"),
            ("box hedge", "evergreen border"),
            ("cherry tree", "fruit tree"),
            ("lavender", "purple herb"),
            ("grapevine", "plant for wine"),
            ("hydrangea", "shrub with big blue balls"),
            ("strawberry bed", "berries"),
        ),
        (
            "the leaves turned yellow",
            "slugs ate every shoot",
            "white powder covers the stems",
            "it has not bloomed for two years",
            "the roots are in standing water",
        ),
        (
            ("cut it back by a third", "prune it"),
            ("spread coffee grounds", "fertilise with what is left of espresso"),
            ("move it to a sunny spot", "transplant it where there is light"),
        ),
    ),
    Subject(
        "Learning",
        "{who} has started to learn {thing} and {detail}. How do we keep the motivation up?",
        "Short daily sessions work best for {thing}. It also helps to {advice} and to celebrate small steps.",
        ("How are {who}'s lessons in {thing} organised?", "What did I tell you on {who} learning {thing}?"),
        "What is {who} learning?",
        (
            ("the violin", "a string instrument"),
            ("Portuguese", "the language of Brazil"),
            ("touch typing", "writing fast on a keyboard"),
            ("pottery", "making things of clay"),
            ("swimming", "the crawl in the pool"),
            ("sign language", "talking with hands"),
            ("fencing", "fighting with a foil"),
            ("calligraphy", "beautiful handwriting"),
        ),
        (
            "the class is on Thursdays at six",
            "the teacher moved away",
            "the exam takes place in November",
            "each hour costs 32 pounds",
            "practice takes place in the cellar",
        ),
        (
            ("keep a diary", "write a journal"),
            ("find a partner", "do it with somebody"),
            ("record the progress on video", "film it"),
        ),
    ),
    Subject(
        "Car and bike",
        "The {thing} of {who} needs attention: {detail}. Is that urgent?",
        "I would not wait long. With a {thing} it is best to {advice}, and to ask two workshops for a price.",
        ("What did the {thing} of {who} need?", "Which trouble was there with {who}'s {thing}?"),
        "Which vehicles of {who} needed repairs?",
        (
            ("motorbike", "two-wheeler with an engine"),
            ("camper van", "vehicle for holidays"),
            ("cargo bike", "cycle for loads"),
            ("old Volvo", "Swedish car"),
            ("scooter", "moped"),
            ("electric car", "battery vehicle"),
            ("tractor", "farm machine"),
            ("rowing boat", "vessel with oars"),
        ),
        (
            "the brakes squeal in the rain",
            "the inspection expires on the ninth",
            "a warning lamp is on",
            "the left tyre loses air",
            "it was hit in the car park",
        ),
        (
            ("check the fluid", "look at the liquid level"),
            ("tighten the chain", "make the links less slack"),
            ("read the fault memory", "get the stored error codes"),
        ),
    ),
)
