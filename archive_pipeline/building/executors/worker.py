"""The process that does tasks for another one: ``fork_server`` starts it for ``processes.ProcessExecutor``.

It does one after the other, over connections of its own, and keeps the batches that it read. It ends when nobody is at
the other end of the connection, whatever it is doing.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.answer import Answer
from archive_pipeline.building.executors.cached import run_cached
from archive_pipeline.building.executors.sent_errors import sent
from archive_pipeline.building.tasks import Task
from archive_pipeline.ingest.collection import seldom_collected
from archive_pipeline.store.database import Database


@dataclass(frozen=True, slots=True)
class Begin:
    """What a worker is told first: the archive, and how many bytes of batches it may keep in memory and in a file."""

    database: Database
    budget: int
    disk_budget: int


def serve(connection: Connection[Answer, Any]) -> None:
    """Do the tasks that come by the connection, and answer each with its result or its error."""
    begin: Begin = connection.recv()
    cache = BatchCache(begin.budget, begin.disk_budget)
    with seldom_collected(), begin.database.arrow_kept():
        for task in _tasks(connection):
            began = time.monotonic()
            try:
                outcome = run_cached(begin.database, cache, task)
            except Exception as error:  # noqa: BLE001 - the one who asked decides
                outcome = sent(error)
            connection.send(Answer(outcome, began, time.monotonic()))


def _tasks(connection: Connection[Answer, Any]) -> Iterator[Task]:
    """Yield what is asked for; a thread listens also while a task is done."""
    tasks: SimpleQueue[Task] = SimpleQueue()

    def listen() -> None:
        while True:
            try:
                tasks.put(connection.recv())
            except (EOFError, OSError):
                os._exit(0)  # nobody waits for what is being done: its transaction is rolled back

    Thread(target=listen, name="listen", daemon=True).start()
    while True:
        yield tasks.get()


def work(connection: Connection[Answer, Any]) -> None:
    """Serve a connection to its end."""
    try:
        serve(connection)
    except (EOFError, ConnectionError):
        return  # gone before it said anything, or while it was answered


def main() -> None:
    """Serve the connection whose file descriptor is the first argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asked says when it is over
    work(Connection(int(sys.argv[1])))
