"""Searches and contexts beside imports, deletions and builds: each ends well, with rows that exist or existed."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.kills.archive import Archive, Ended, Finding
from benchmarks.kills.exports import write_documents, write_exports
from benchmarks.kills.tally import Tally

FILES: Final = 12
# Files that are imported beside the searches.
LATER_FILES: Final = 4
AT_ONCE: Final = 4
WORDS: Final = ("time", "system file", "value", "data type", "notes section", "user process", "work place", "number")
MODES: Final = ("hybrid", "lexical", "text")
PAGES: Final = "SELECT doc_id::text, page FROM derived.all_pages"
MESSAGES: Final = "SELECT id::text FROM raw.messages"
KEYS: Final = "SELECT partition_key, id::text FROM raw.dialogues ORDER BY md5(id::text || %s)"


@dataclass
class Known:
    """What existed at some time.

    Attributes:
        pages: dialogues and documents with their pages.
        messages: ids.
        deleted: dialogues that were removed for good, and when.
    """

    pages: set[tuple[str, int]] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)
    deleted: dict[str, float] = field(default_factory=dict)

    def add(self, archive: Archive) -> None:
        """Add what the archive has now."""
        with archive.connect() as connection:
            self.pages |= {(doc, page) for doc, page in connection.execute(PAGES)}
            self.messages |= {message for (message,) in connection.execute(MESSAGES)}

    def check(self, ended: Ended) -> int:
        """Check every result of a search or context; return how many there are."""
        answer = json.loads(ended.out)
        results: Sequence[Any] = answer if isinstance(answer, list) else answer["sources"]
        for result in results:
            place = (result["doc_id"], int(result["page"]))
            metadata = result.get("metadata", {})
            names = ("question_message_id", "answer_message_id", "message_id")
            messages = {metadata.get(name) for name in names} - {None}
            if place not in self.pages or messages - self.messages:
                raise Finding(f"{ended.told()} returns what never was: {place} {messages - self.messages}")
            if ended.started > self.deleted.get(place[0], ended.started):
                raise Finding(f"{ended.told()} returns {place}, which was deleted before")
        return len(results)


def search_beside(folder: Path, *, count: int, dialogues: int, seed: int) -> tuple[str, bool]:
    """Make so many searches; return the report, and whether nothing was found."""
    rng, tally, known = Random(seed), Tally(), Known()
    exports = write_exports(folder / "exports", files=FILES, dialogues=dialogues, seed=seed)
    archive = Archive(folder / "searched")
    archive.run("import", *exports[:-LATER_FILES])
    archive.run("documents", "add", write_documents(folder / "documents"))
    archive.run("index")
    archive.keep_server()
    known.add(archive)
    _learn_later(folder, exports, known)
    tally.say("searching")
    done, written, found = threading.Event(), Counter[str](), Counter[str]()
    writers = [
        threading.Thread(target=_repeat, args=(work, done, tally))
        for work in _writers(archive, exports, known, rng, written)
    ]
    for writer in writers:
        writer.start()
    arguments = [_arguments(rng) for _ in range(count)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        seconds = [*pool.map(lambda words: _search(archive, words, known, tally, found), arguments)]
    done.set()
    for writer in writers:
        writer.join()
    _try(tally, lambda: archive.run("verify"))
    archive.stop_server()
    for line in archive.kill_leftovers():
        tally.found(f"still running: {line}")
    return _report(seed, tally, written, found, seconds), not tally.findings


def _learn_later(folder: Path, exports: Sequence[Path], known: Known) -> None:
    """Learn what the later imports bring: each state that a dialogue is in after one of them."""
    other = Archive(folder / "known")
    other.keep_server()
    for path in exports[-LATER_FILES - 1 :]:
        other.run("import", path)
        known.add(other)
    other.stop_server()


def _writers(
    archive: Archive, exports: Sequence[Path], known: Known, rng: Random, written: Counter[str]
) -> list[Callable[[], bool]]:
    """Return what writes beside the searches; each does one thing and says whether there is more to do."""
    waiting = [*exports[-LATER_FILES:]]
    with archive.connect() as connection:
        keys: list[tuple[str, str]] = connection.execute(KEYS, [str(rng.random())]).fetchall()
    # A later state of a dialogue of the last file may come back.
    kept = {dialogue["id"] for dialogue in json.loads(exports[-LATER_FILES - 1].read_bytes())}
    keys = [(key, dialogue) for key, dialogue in keys if not any(source in key for source in kept)]

    def import_next() -> bool:
        # When all are there: once more, of which nothing is new.
        archive.run("import", waiting.pop(0) if waiting else exports[-1])
        written["import"] += 1
        return True

    def delete_next() -> bool:
        key, dialogue = keys.pop(0)
        archive.run("delete", key)
        known.deleted[dialogue] = time.time()
        written["delete"] += 1
        return len(keys) > 0

    def build_all() -> bool:
        archive.run("build", "--full")
        archive.run("index")
        written["build --full, index"] += 1
        return True

    return [import_next, delete_next, build_all]


def _repeat(work: Callable[[], bool], done: threading.Event, tally: Tally) -> None:
    while _try(tally, work) and not done.is_set():
        pass


def _try(tally: Tally, work: Callable[[], Any]) -> bool:
    try:
        return bool(work())
    except Finding as finding:
        tally.found(str(finding))
    return False


def _arguments(rng: Random) -> tuple[str, ...]:
    command = rng.choice(("search", "search", "context"))
    return (command, rng.choice(WORDS), "--mode", rng.choice(MODES), "--json")


def _search(archive: Archive, words: tuple[str, ...], known: Known, tally: Tally, found: Counter[str]) -> float:
    def search() -> float:
        ended = archive.start(*words).end()
        ended.check_refusal()
        name = f"{words[0]} {words[3]}"
        found[f"{name}, {'results' if not ended.code else ended.errors[0]}"] += (
            known.check(ended) if not ended.code else 1
        )
        found[f"{name}, exit code {ended.code}"] += 1
        tally.say(f"{name}: {ended.seconds:.1f} s")
        seconds.append(ended.seconds)
        return True

    seconds: list[float] = []
    _try(tally, search)
    return seconds[0] if seconds else 0.0


def _report(seed: int, tally: Tally, written: Counter[str], found: Counter[str], seconds: Sequence[float]) -> str:
    lines = [
        f"{len(seconds)} searches and contexts, {AT_ONCE} at a time (seed {seed}), beside "
        + ", ".join(f"{count} times `{name}`" for name, count in written.items())
        + f"; the slowest took {max(seconds):.1f} s.",
        "",
        "| what | number |",
        "| --- | --- |",
        *[f"| {name} | {count} |" for name, count in sorted(found.items())],
        "",
        *[f"- FOUND: {finding}" for finding in tally.findings],
    ]
    return "\n".join(lines) + "\n"
