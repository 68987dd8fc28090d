"""A Chroma server instead of the embedded store: indexed, searched, followed, and stopped under it."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from archive_pipeline.retrieval.context.builder import ContextBuilder
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.index.verify import compare
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.retrieval.index.conftest import BREAD, IN_CHROMA, PLANETS

SECONDS_TO_START = 60


@dataclass
class Server:
    """`chroma run` on a port of its own."""

    command: str
    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = field(default=None)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        arguments = ["run", "--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen([self.command, *arguments], stdout=log, stderr=log)
        end = time.monotonic() + SECONDS_TO_START
        while not self._answers():
            assert self.process.poll() is None, (self.folder / "server.log").read_text()
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/api/v2/heartbeat", timeout=1):  # noqa: S310
                return True
        except (urllib.error.URLError, OSError):
            return False


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    command = shutil.which("chroma", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("the command of chromadb is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    folder = tmp_path / "server"
    folder.mkdir()
    server = Server(command, folder, port)
    server.start()
    yield server
    server.stop()


@IN_CHROMA
def test_a_server_holds_the_index_and_may_be_restarted(built: Database, home: Settings, server: Server):
    pytest.importorskip("wordllama")
    settings = home.with_values(chroma_url=server.url)
    index_archive(built, home)
    assert settings.chroma_folder.exists()
    index_archive(built, settings)
    assert not settings.chroma_folder.exists()
    client = ChromaClient(built, settings)
    engine = SearchEngine(built, settings, client)
    results = engine.search_now("largest planet")
    assert (results.retrievers, results.degraded) == (("dense", "lexical"), {})
    assert results[0]["doc_id"] == PLANETS.id
    context = asyncio.run(ContextBuilder(engine, client).build_context("stone in the oven"))
    assert (context.sources[0].doc_id, context.sources[0].page) == (BREAD.id, 2)
    assert compare(built, settings, seed="x").is_equal

    server.stop()
    without = engine.search_now("largest planet")
    assert (without.retrievers, "ARCHIVE_CHROMA_URL" in without.degraded["dense"]) == (("lexical",), True)
    assert "\n" not in without.degraded["dense"]
    with built.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE id = %s", [BREAD.id])
    server.start()
    assert engine.search_now("largest planet").degraded == {}
    assert index_archive(built, settings).sync.deleted["visual"] == 2
    assert asyncio.run(client.get_document_markdown(BREAD.id)) is None
    assert compare(built, settings, seed="x").is_equal
