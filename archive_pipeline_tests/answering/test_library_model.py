"""Models of the package ``llm``, asynchronous or not, as its plugins register them."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar
from unittest.mock import Mock

import pytest

from archive_pipeline.answering import Prompt, open_model
from archive_pipeline.answering.library_model import MOST_THREADS
from archive_pipeline.errors import AnswerError, ConfigurationError, MissingExtraError
from archive_pipeline.settings import Settings

llm = pytest.importorskip("llm")

PROMPT = Prompt("Be brief.", "Why?")


class Sync(llm.Model):
    model_id = "archive-test-sync"
    can_stream = True

    def execute(self, prompt: Any, *_: Any, **__: Any) -> Iterator[str]:
        yield from (prompt.system, " ", prompt.prompt)


class Twin(Sync):
    model_id = "archive-test-async"


class Async(llm.AsyncModel):
    model_id = "archive-test-async"
    can_stream = True

    async def execute(self, prompt: Any, *_: Any, **__: Any) -> AsyncIterator[str]:
        for piece in (prompt.system, "|", prompt.prompt):
            yield piece


class Failing(llm.Model):
    model_id = "archive-test-failing"
    can_stream = True

    def execute(self, *_: Any, **__: Any) -> Iterator[str]:
        yield "So"
        raise RuntimeError("out of credit")


class Silent(llm.Model):
    model_id = "archive-test-silent"
    can_stream = True

    def execute(self, *_: Any, **__: Any) -> Iterator[str]:
        raise TimeoutError


class CutOff(llm.Model):
    model_id = "archive-test-cut-off"
    can_stream = True

    def execute(self, *_: Any, response: Any, **__: Any) -> Iterator[str]:
        yield "Half of"
        response.response_json = {"content": "Half of", "finish_reason": "length"}


class Blocking(llm.Model):
    """Keeps its thread until it is let go."""

    model_id = "archive-test-blocking"
    can_stream = True
    may_go = threading.Event()
    asked: ClassVar[list[str]] = []

    def execute(self, prompt: Any, *_: Any, **__: Any) -> Iterator[str]:
        self.asked.append(prompt.prompt)
        self.may_go.wait(60)
        yield "late"


class Plugin:
    @llm.hookimpl
    def register_models(self, register: Any) -> None:
        register(Sync())
        register(CutOff())
        register(Failing())
        register(Silent())
        register(Blocking())
        register(Twin(), Async())


@pytest.fixture(autouse=True)
def plugin(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The models, and a folder of `llm` for the test alone."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.setattr(llm.plugins, "_loaded", True)  # else those that are installed would be loaded
    own = Plugin()
    llm.plugins.pm.register(own)
    yield
    llm.plugins.pm.unregister(own)


def pieces(name: str) -> list[str]:
    async def collected() -> list[str]:
        return [piece async for piece in open_model(Settings(answer_model=name)).stream(PROMPT)]

    return asyncio.run(collected())


def test_both_kinds_of_models_answer_in_pieces():
    assert pieces("archive-test-sync") == ["Be brief.", " ", "Why?"]
    assert pieces("archive-test-async") == ["Be brief.", "|", "Why?"]


def test_nothing_is_logged(tmp_path: Any):
    pieces("archive-test-sync")
    assert not list(tmp_path.glob("**/*.db"))


def test_what_a_model_fails_with_is_one_error():
    with pytest.raises(AnswerError, match="archive-test-failing: out of credit"):
        pieces("archive-test-failing")
    with pytest.raises(AnswerError, match=r"archive-test-silent: TimeoutError$"):
        pieces("archive-test-silent")


def test_a_model_that_blocks_keeps_no_more_threads_than_it_may_and_holds_up_nobody():
    async def asked(question: str, seconds: float | None) -> list[str]:
        model = open_model(Settings(answer_model="archive-test-blocking"))
        async with asyncio.timeout(seconds):
            return [piece async for piece in model.stream(Prompt("", question))]

    async def left() -> None:
        questions = [asked(f"left {number}", 0.5) for number in range(MOST_THREADS + 3)]
        ended = await asyncio.gather(*questions, return_exceptions=True)
        assert {type(each) for each in ended} == {TimeoutError}
        await asyncio.to_thread(bool)  # what else needs a thread gets one

    async def waiting() -> list[str]:
        answer = asyncio.create_task(asked("waits", None))
        await asyncio.sleep(0.2)
        assert len(Blocking.asked) == MOST_THREADS
        Blocking.may_go.set()
        return await answer

    before = set(threading.enumerate())
    asyncio.run(left())  # which waits for threads that are not the models' own
    others = set(threading.enumerate()) - before
    assert len(others) == MOST_THREADS
    assert all(thread.daemon for thread in others), "a program would wait for them at its end"
    assert asyncio.run(waiting()) == ["late"]
    assert len(Blocking.asked) == MOST_THREADS + 1


def test_a_running_answer_is_not_held_up_by_questions_behind_it(monkeypatch: pytest.MonkeyPatch):
    async def asked(name: str) -> list[str]:
        async with asyncio.timeout(1):
            return [piece async for piece in open_model(Settings(answer_model=name)).stream(PROMPT)]

    async def all_at_once() -> list[Any]:
        questions = [asked("archive-test-sync"), *(asked("archive-test-blocking") for _ in range(MOST_THREADS))]
        return await asyncio.gather(*questions, return_exceptions=True)

    monkeypatch.setattr(Blocking, "may_go", threading.Event())
    try:
        first, *others = asyncio.run(all_at_once())
    finally:
        Blocking.may_go.set()
    assert first == ["Be brief.", " ", "Why?"]
    assert {type(each) for each in others} == {TimeoutError}


def test_a_thread_that_cannot_be_started_leaves_its_place(monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        for _ in range(MOST_THREADS + 1):
            with pytest.raises(AnswerError, match="can't start new thread"):
                pieces("archive-test-sync")
    assert pieces("archive-test-sync") == ["Be brief.", " ", "Why?"]


def test_an_answer_that_is_not_whole_is_said():
    with pytest.raises(AnswerError, match="the model reached its limit of tokens"):
        pieces("archive-test-cut-off")


def test_an_unknown_model_is_named():
    with pytest.raises(ConfigurationError, match=r"ARCHIVE_ANSWER_MODEL='archive-test-none'.*`llm models`"):
        open_model(Settings(answer_model="archive-test-none"))


def test_a_plugin_that_is_not_whole_is_one_error():
    class Broken:
        @llm.hookimpl
        def register_models(self) -> None:
            raise ImportError("no module named x")

    broken = Broken()
    llm.plugins.pm.register(broken)
    try:
        with pytest.raises(ConfigurationError, match="no module named x"):
            open_model(Settings(answer_model="archive-test-sync"))
    finally:
        llm.plugins.pm.unregister(broken)


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "llm", None)
    with pytest.raises(MissingExtraError, match=r"llm-archive-pipeline\[llm\]"):
        open_model(Settings(answer_model="any"))
