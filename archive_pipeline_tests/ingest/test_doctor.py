"""What an import would find, counted without a database."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.partition_limits import WARN_AT_KEYS
from archive_pipeline.ingest import estimates
from archive_pipeline.ingest.doctor import Findings, examine
from archive_pipeline.ingest.estimates import Rates, estimate
from archive_pipeline.ingest.shards import missing_shards
from archive_pipeline.readers.reading import read_paths
from archive_pipeline_tests.exports import Said, chain, chatgpt, claude, write


def picture(name: str) -> dict[str, Any]:
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": f"sediment://{name}", "size_bytes": 1}
    return {"content_type": "multimodal_text", "parts": [pointer]}


def found(*paths: Path) -> Findings:
    return examine(read_paths(paths))


def export(path: Path) -> Path:
    here, gone = f"file-{'A' * 22}", f"file-{'B' * 22}"
    conversations = [
        chatgpt("c1", chain("a", "b"), updated=1.0),
        chatgpt("c1", chain("a", "b"), updated=1.0),
        chatgpt("c1", chain("a", "other"), updated=1.0),
        chatgpt("c1", chain("a", "later"), updated=2.0),
        chatgpt("c2", [Said("m", "nobody", "user", "x"), Said("n", "m", "critic", "y")]),
        chatgpt("c3", [Said("m", "n", "user", "x"), Said("n", "m", "assistant", "y")]) | {"new": 1},
        chatgpt("c4", [Said("m", None, "user", None, content=picture(here))]),
        chatgpt("c5", [Said("m", None, "user", None, content=picture(gone))]),
        chatgpt("c6", [Said("m", None, "user", None, content={"content_type": "hologram"})]),
        7,
    ]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations-000.json", json.dumps(conversations))
        archive.writestr("conversations-002.json", json.dumps([claude("t", "q", "a")]))
        archive.writestr("user.json", "{}")
        archive.writestr(f"{here}.dat", b"picture")
    return path


def test_everything_is_counted(tmp_path: Path):
    findings = found(export(tmp_path / "export.zip"))
    assert (findings.dialogues, findings.messages) == (7, 11)
    assert {name: (source.files, source.dialogues) for name, source in findings.sources.items()} == {
        "chatgpt": (1, 6),
        "claude_ai": (1, 1),
    }
    assert findings.containers == {str(tmp_path / "export.zip"): 2}
    assert findings.sources["chatgpt"].vintages == {"full": 6}
    assert findings.duplicates == {"identical": 1, "different": 1, "states": 1}
    assert (findings.anomalies["missing_parent"], findings.anomalies["cycle"]) == (1, 1)
    assert findings.unknown_types == {"hologram": 1}
    assert findings.attachments == {"present": 1, "missing": 1}
    first = tmp_path / "export.zip" / "conversations-000.json[0]"
    assert [record.reason for record in findings.rejected] == [
        f"another dialogue with this id (c1) came first, at {first}, and was kept",
        "is a number, not a conversation",
    ]
    assert {item.path for item in findings.drift.found} >= {"new", "mapping.*.message.content.content_type"}
    assert [file.kind for file in findings.skipped if file.kind] == ["attached files", "user profile"]
    assert [line.rsplit("/", 1)[1] for line in findings.missing] == [
        "conversations-001.json: was not given, but later ones were"
    ]
    assert [(source, dialogues) for _, source, _, dialogues in findings.files] == [("chatgpt", 6), ("claude_ai", 1)]


def test_the_times_are_those_of_the_messages(tmp_path: Path):
    findings = found(write(tmp_path / "c.json", chatgpt("c", chain("a", "b", start=86_400.0))))
    source = findings.sources["chatgpt"]
    assert [moment.timestamp() for moment in (source.first_at, source.last_at) if moment] == [86_400.0, 86_401.0]


def test_dialogues_without_an_id_are_not_taken_for_one(tmp_path: Path):
    findings = found(write(tmp_path / "c.json", chatgpt(None, chain("a")), chatgpt(None, chain("a"))))
    assert (findings.dialogues, findings.duplicates.total()) == (2, 0)


def test_nothing_is_written(tmp_path: Path):
    folder = tmp_path / "export"
    folder.mkdir()
    export(folder / "export.zip")
    before = sorted(tmp_path.rglob("*"))
    found(folder)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(("dialogues", "partitioning"), [(WARN_AT_KEYS - 1, "per_dialogue"), (WARN_AT_KEYS, "sharded")])
def test_the_advice_follows_the_number_of_dialogues(dialogues: int, partitioning: str):
    expected = estimate(0, dialogues, 0)
    assert expected.partitioning == partitioning
    assert ("ARCHIVE_PARTITIONING=sharded" in expected.advice) is (partitioning == "sharded")


def test_the_estimate_follows_from_the_rates(monkeypatch: pytest.MonkeyPatch):
    rates = Rates(seconds_at_least=5, json_bytes_per_second=7, messages_per_second=46, database_bytes_per_message=9_500)
    monkeypatch.setattr(estimates, "RATES", rates)
    # 70 bytes at 7 a second, 460 messages at 46 a second.
    assert estimate(70, 1, 460).seconds == 5 + 10 + 10
    assert estimate(0, 1, 1_000).database_bytes == 9_500_000


def test_the_documents_have_the_rates_of_the_estimate():
    text = (Path(__file__).parents[2] / "docs" / "performance.md").read_text(encoding="utf-8")
    [row] = [line for line in text.splitlines() if line.startswith("| `doctor` |")]
    figures = [float(cell.replace(",", "")) for cell in row.split("|")[2:-1]]
    rates = estimates.RATES
    assert figures == [
        rates.json_bytes_per_second / 1e6,
        rates.messages_per_second,
        rates.database_bytes_per_message,
    ]


def peak_bytes(path: Path) -> int:
    tracemalloc.start()
    try:
        found(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(tmp_path: Path):
    text = "a long text " * 5_000
    paths = []
    for number in (4, 4, 40):  # the first one loads what is loaded once
        conversations = [chatgpt(f"c{at}", chain(text, text)) for at in range(number)]
        paths.append(write(tmp_path / f"{len(paths)}.json", *conversations))
    _, small, large = (peak_bytes(path) for path in paths)
    assert paths[2].stat().st_size > 9 * paths[1].stat().st_size
    assert large < 1.5 * small


def test_a_shard_is_missing_before_a_compressed_one_too():
    assert missing_shards(["a/conversations-000.json", "a/conversations-002.json.zst"]) == [
        "a/conversations-001.json: was not given, but later ones were"
    ]
