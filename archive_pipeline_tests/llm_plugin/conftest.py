"""Models of `llm` that the tests define as a plugin, and the archive's plugin behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import llm
import pytest
from llm.parts import StreamEvent
from llm.plugins import load_plugins, pm
from pydantic import Field

import archive_pipeline.llm_plugin
from archive_pipeline.llm_plugin import memory
from archive_pipeline.store.database import Database


class _Counting:
    """Answers with the number of its calls, in pieces; remembers what it was called with."""

    can_stream = True
    supports_schema = True
    supports_tools = True
    attachment_types = frozenset({"image/png"})

    class Options(llm.Options):
        temperature: float | None = Field(default=None)
        max_tokens: int | None = Field(default=None)
        seed: int | None = Field(default=None)

    def __init__(self, model_id: str = "counting") -> None:
        self.model_id = model_id
        self.calls: list[dict[str, Any]] = []
        self.failing = False
        self.told: dict[str, Any] | None = None

    def pieces(self, prompt: llm.Prompt, stream: bool, key: str | None = None) -> Iterator[str | StreamEvent]:
        self.calls.append({"stream": stream, "key": key, "options": prompt.options.model_dump(exclude_none=True)})
        yield StreamEvent("reasoning", "Count.")
        yield "call "
        if self.failing:
            raise ConnectionError("the model is gone")
        yield f"{len(self.calls)} of {self.model_id}"


class Counting(_Counting, llm.Model):
    def execute(self, prompt, stream, response, **_):
        yield from self.pieces(prompt, stream)
        response.set_usage(input=3, output=4)
        response.response_json = self.told


class CountingWithKey(_Counting, llm.KeyModel):
    needs_key = "counting"
    key_env_var = "COUNTING_KEY"

    def execute(self, prompt, stream, key, **_):
        yield from self.pieces(prompt, stream, key)


class AsyncCounting(_Counting, llm.AsyncModel):
    async def execute(self, prompt, stream, **_):
        for piece in self.pieces(prompt, stream):
            await asyncio.sleep(0)
            yield piece


class AsyncCountingWithKey(_Counting, llm.AsyncKeyModel):
    needs_key = "counting"

    async def execute(self, prompt, stream, key, **_):
        for piece in self.pieces(prompt, stream, key):
            yield piece


class Plugin:
    """A plugin of `llm` with the models of a test; some say they are one model."""

    __name__ = "counting"

    def __init__(self) -> None:
        self.model, self.other = Counting(), Counting("other")
        self.asynchronous = AsyncCounting()
        self.with_key, self.asynchronous_with_key = CountingWithKey("locked"), AsyncCountingWithKey("locked")

    @llm.hookimpl
    def register_models(self, register):
        register(self.model, self.asynchronous, aliases=("c",))
        register(self.other)
        register(self.with_key, self.asynchronous_with_key)


@pytest.fixture
def plugin(database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path_factory) -> Iterator[Plugin]:
    """The models of a test beside the archive's plugin, in a home of `llm` of their own."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path_factory.mktemp("llm")))
    monkeypatch.setenv("ARCHIVE_DATABASE_URL", database.url)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("ARCHIVE_HOME", str(home))
    monkeypatch.delenv("COUNTING_KEY", raising=False)
    load_plugins()
    own = Plugin()
    pm.register(own, name="counting")
    added = not pm.is_registered(archive_pipeline.llm_plugin)
    if added:
        pm.register(archive_pipeline.llm_plugin, name="archive")
    yield own
    pm.unregister(own)
    if added:
        pm.unregister(archive_pipeline.llm_plugin)
    if memory._opened.cache_info().currsize:
        memory._opened(str(home), database.url).engine.dispose()
    memory._opened.cache_clear()
