"""Calls to a real model: what the archive saves, and that it gives back what the model said.

    python -m benchmarks.provider MODEL [--other MODEL] [--api-base URL] [--no-temperature] [--json]

Needs the extra ``llm`` and a key of the model's provider (``llm keys set openai``, or ``OPENAI_API_KEY``). MODEL is any
that ``llm models`` lists, or with ``--api-base`` any that a server speaks OpenAI's protocol for. Makes about two dozen
short calls, in an archive of its own in a temporary folder. Prints what was called, found and saved; exit code 1 if
something is not as it should be.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import llm
from llm.default_plugins.openai_models import AsyncChat, Chat
from sqlalchemy.orm import Session

from archive_pipeline.llm_plugin import ArchivedAsyncModel, ArchivedModel
from archive_pipeline.matching import find_or_create_from_messages
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.look_ups import look_ups
from archive_pipeline.store.server.embedded import release

SYSTEM: Final = "Answer in one short sentence."
QUESTIONS: Final = (
    "What is the capital of France?",
    "Name a colour of the rainbow.",
    "What is 17 times 3?",
    "Invent a name for a bakery.",
    "Which sea is salty enough to float in?",
)
NEXT: Final = "Say the same in other words."

# A model and its asynchronous counterpart.
Models = tuple[llm.Model | llm.KeyModel, Any]


@dataclass
class Figures:
    """What came of it.

    Attributes:
        model: that was asked.
        calls: prompts that the model answered.
        found: prompts that the archive answered.
        tokens: of the calls, input and output, as the provider says; 0 where it says nothing.
        tokens_saved: of the calls that the archive's answers stand for.
        seconds_of_calls: medians and sums are of whole answers.
        seconds_of_archive: the same.
        answers_that_differ: of those that were asked again without the archive.
        equal_to_other: answers of the other model that are equal to the model's own; None without one.
        look_ups: per entry point, what became of them, as the archive counted.
        failed: what is not as it should be.
    """

    model: str
    calls: int = 0
    found: int = 0
    tokens: int = 0
    tokens_saved: int = 0
    seconds_of_calls: list[float] = field(default_factory=list)
    seconds_of_archive: list[float] = field(default_factory=list)
    answers_that_differ: int = 0
    equal_to_other: int | None = None
    look_ups: dict[str, Any] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def expect(self, what: str, is_true: object) -> None:
        """Note what is not as it should be."""
        if not is_true:
            self.failed.append(what)


def main() -> int:
    """Run the check; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--other", help="a second model, to compare")
    parser.add_argument(
        "--api-base", help="of a server that speaks OpenAI's protocol, such as http://localhost:8080/v1"
    )
    parser.add_argument("--no-temperature", action="store_true", help="for models that refuse a temperature of 0")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = Figures(arguments.model)
    models = _models(arguments.model, arguments.api_base)
    with _own_archive() as database:
        _check(figures, database, models, arguments)
        with database.session() as connection:
            figures.look_ups = {each.door: asdict(each) for each in look_ups(connection)}
        database.engine.dispose()
    _print_figures(figures, as_json=arguments.json)
    return 1 if figures.failed else 0


@contextmanager
def _own_archive() -> Iterator[Database]:
    """Yield an archive in a temporary folder, which the environment names meanwhile."""
    with tempfile.TemporaryDirectory(prefix="check-provider-") as home:
        os.environ["ARCHIVE_HOME"] = home
        os.environ.pop("ARCHIVE_DATABASE_URL", None)
        settings = Settings.from_environment()
        try:
            yield Database.open(settings)
        finally:
            release(settings.postgres_folder)


def _models(model_id: str, api_base: str | None) -> Models:
    """Return a model and its asynchronous counterpart, None if it has none."""
    if api_base is not None:
        # A key is sent where there is one; local servers need none.
        key = llm.get_key(alias="openai", env="OPENAI_API_KEY") or "none"
        traits: dict[str, Any] = {"key": key, "model_name": model_id, "api_base": api_base}
        return Chat(model_id, **traits), AsyncChat(model_id, **traits)  # type: ignore[no-untyped-call]
    try:
        return llm.get_model(model_id), llm.get_async_model(model_id)
    except llm.UnknownModelError as error:
        if "sync model exists" not in str(error):
            raise SystemExit(f"llm knows no model {model_id!r}; `llm models` lists those it knows") from error
        return llm.get_model(model_id), None


def _check(figures: Figures, database: Database, models: Models, arguments: argparse.Namespace) -> None:
    model, asynchronous = models
    archived = ArchivedModel(model)
    answers = [_ask_twice(figures, archived, _messages(question)) for question in QUESTIONS]
    longer = [*_messages(QUESTIONS[0]), llm.assistant(answers[0]), llm.user(NEXT)]
    _ask_twice(figures, archived, longer)
    if not arguments.no_temperature:
        _ask_twice(figures, archived, _messages(QUESTIONS[1]), temperature=0)
    if asynchronous is not None:
        text = asyncio.run(_ask_async(ArchivedAsyncModel(asynchronous)))
        figures.expect("the asynchronous model has the synchronous one's answer", text == answers[0])
        figures.found += 1
    _ask_again(figures, database, model, answers)
    if arguments.other:
        other = ArchivedModel(_models(arguments.other, arguments.api_base)[0])
        others = [_ask_twice(figures, other, _messages(question)) for question in QUESTIONS]
        figures.equal_to_other = sum(one == two for one, two in zip(answers, others, strict=True))


def _messages(question: str) -> list[llm.Message]:
    return [llm.system(SYSTEM), llm.user(question)]


def _ask_twice(figures: Figures, model: ArchivedModel, messages: list[llm.Message], **options: Any) -> str:
    """Ask a model, in pieces, and then the archive; return the answer."""
    began = time.perf_counter()
    first = model.prompt(messages=messages, options=options)
    text = "".join(first)
    figures.seconds_of_calls.append(time.perf_counter() - began)
    began = time.perf_counter()
    second = model.prompt(messages=messages, options=options)
    again = second.text()
    figures.seconds_of_archive.append(time.perf_counter() - began)
    figures.expect(f"the first answer to {messages[-1]} is the model's", not _is_archives(first))
    figures.expect(f"the second answer to {messages[-1]} is the archive's", _is_archives(second))
    figures.expect(f"both answers to {messages[-1]} are equal", text and again == text)
    usage = first.usage()
    tokens = (usage.input or 0) + (usage.output or 0)
    figures.calls += 1
    figures.found += 1
    figures.tokens += tokens
    figures.tokens_saved += tokens
    return text


async def _ask_async(model: ArchivedAsyncModel) -> str:
    return await model.prompt(messages=_messages(QUESTIONS[0])).text()


def _ask_again(figures: Figures, database: Database, model: llm.Model | llm.KeyModel, answers: list[str]) -> None:
    """Ask the model itself once more, and store what it says now beside what it said."""
    with Session(database.engine) as session:
        for question, answer in zip(QUESTIONS, answers, strict=True):
            response = model.prompt(messages=_messages(question))
            text = response.text()
            usage = response.usage()
            figures.calls += 1
            figures.tokens += (usage.input or 0) + (usage.output or 0)
            find_or_create_from_messages(session, _messages(question), response=text, model=model.model_id, options={})
            figures.answers_that_differ += text != answer
        session.commit()


def _is_archives(response: llm.Response) -> bool:
    return "archive" in (response.json() or {})


def _print_figures(figures: Figures, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(figures), indent=2))
        return
    calls, archive = figures.seconds_of_calls, figures.seconds_of_archive
    print(f"model      {figures.model}")
    print(f"calls      {figures.calls}, {figures.tokens:,} tokens")
    print(f"found      {figures.found}, {figures.tokens_saved:,} tokens saved")
    print(
        f"seconds    {statistics.median(calls):.3f} a call, {statistics.median(archive):.3f} from the archive (medians)"
    )
    print(f"again      {figures.answers_that_differ} of {len(QUESTIONS)} answers differ when asked again")
    if figures.equal_to_other is not None:
        print(f"other      {figures.equal_to_other} of {len(QUESTIONS)} answers are those of the other model")
    for door, counts in figures.look_ups.items():
        told = [f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if name != "door"]
        print(f"{door:<14} {', '.join(told)}")
    for what in figures.failed:
        print(f"FAILED     {what}")


if __name__ == "__main__":
    sys.exit(main())
