"""What is put into the inbox is imported once, as soon as two listings agree; nothing of it is read before."""

from __future__ import annotations

from collections.abc import Collection

import dagster as dg
import pytest
from dagster._core.storage.tags import RUN_KEY_TAG

from archive_pipeline.errors import ConfigurationError, UnreadableInputError
from archive_pipeline.orchestration.automation.drop_folder import MOST_ENTRIES
from archive_pipeline.orchestration.automation.import_job import import_files
from archive_pipeline.orchestration.automation.inbox import InboxScan, scan_inbox
from archive_pipeline.orchestration.automation.inbox_sensor import inbox_sensors
from archive_pipeline.orchestration.instance.run_keys import Fate
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.remote.storage import RemoteObject
from archive_pipeline.settings import Settings
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.object_storage import Bucket
from archive_pipeline_tests.tables import query

INBOX = "s3://exports/in/"


def objects(**versions: str) -> list[RemoteObject]:
    """Objects by their names below the inbox, in which ``__`` stands for a slash and ``_`` for a dot."""
    names = {name.replace("__", "/").replace("_", "."): version for name, version in versions.items()}
    return [RemoteObject(f"{INBOX}{name}", 0 if version == "" else 7, version) for name, version in names.items()]


def scan(listing: list[RemoteObject], cursor: str | None, under_way: Collection[str] = ()) -> InboxScan:
    def fate_of(content: str) -> Fate:
        return Fate.UNDER_WAY if content in under_way else Fate.UNKNOWN

    return scan_inbox(INBOX, listing, cursor, fate_of)


def looks(*listings: list[RemoteObject]) -> list[list[str]]:
    """What each of some looks one after the other finds ready."""
    cursor, found = None, []
    for listing in listings:
        seen = scan(listing, cursor)
        cursor = seen.cursor
        found.append([ready.address.removeprefix(INBOX) for ready in seen.ready])
    return found


def test_an_entry_is_ready_once_when_two_looks_agree():
    first = objects(a_zip="1")
    growing = objects(a_zip="1", b__x_json="1")
    grown = objects(a_zip="1", b__x_json="1", b__y_json="1")
    assert looks(first, growing, grown, grown, grown) == [[], ["a.zip"], [], ["b/"], []]


def test_another_version_is_another_content_and_a_name_is_not():
    assert looks(*[objects(a_zip="1")] * 2, *[objects(a_zip="2")] * 2, []) == [[], ["a.zip"], [], ["a.zip"], []]
    both = [scan(objects(**{name: "1"}), scan(objects(**{name: "1"}), None).cursor) for name in ("a", "b")]
    assert both[0].ready[0].content == both[1].ready[0].content
    assert looks(*[objects(a_zip="1", b_zip="1")] * 3) == [[], ["a.zip"], ["b.zip"]]


def test_an_object_that_is_renamed_before_its_run_has_ended_waits_under_its_new_name():
    first = scan(objects(a_zip="1"), scan(objects(a_zip="1"), None).cursor)
    content, renamed = first.ready[0].content, objects(b_zip="1")
    waiting = scan(renamed, scan(renamed, first.cursor, {content}).cursor, {content})
    assert (waiting.ready, waiting.waiting) == ((), 1)
    assert [(ready.address, ready.content) for ready in scan(renamed, waiting.cursor).ready] == [
        (f"{INBOX}b.zip", content)
    ]


def test_hidden_empty_and_unfinished_objects_are_no_entries():
    listing = objects(_hidden="1", empty_zip="", export_zip_part="1", folder__export_zip_crdownload="1")
    assert looks(listing, listing) == [[], []]


def test_a_prefix_of_very_many_entries_is_said():
    many = [RemoteObject(f"{INBOX}{number:05}.zip", 1, str(number)) for number in range(MOST_ENTRIES + 1)]
    seen = scan(many, None)
    assert (len(seen.notes), scan(many, seen.cursor).new_notes) == (1, ())
    assert seen.waiting == MOST_ENTRIES


def test_without_an_inbox_there_is_no_sensor(settings: Settings):
    assert inbox_sensors(settings) == []
    with pytest.raises(ConfigurationError, match="ARCHIVE_INBOX: write s3://BUCKET/PREFIX"):
        Settings.from_environment({"ARCHIVE_INBOX": "https://host/?secret"})


@pytest.mark.postgres
@pytest.mark.dagster
def test_an_export_in_a_bucket_becomes_rows_and_its_run_is_asked_for_once(
    archive: Archive, instance: dg.DagsterInstance, bucket: Bucket
):
    watching = archive.settings.with_values(inbox=INBOX)
    [sensor] = inbox_sensors(watching)

    def tick(cursor: str | None) -> dg.SensorResult:
        result = sensor(dg.build_sensor_context(instance=instance, cursor=cursor))
        assert isinstance(result, dg.SensorResult)
        return result

    empty = tick(None)
    assert empty.run_requests == []
    bucket.put("in/2026/conversations.json", [chatgpt("c1", chain("x", "y"))])
    bucket.server.requests.clear()
    first = tick(empty.cursor)
    second = tick(first.cursor)
    assert not any(path.endswith("conversations.json") for _, path in bucket.server.requests)
    assert first.run_requests == []
    [request] = second.run_requests or []
    assert (tick(second.cursor).run_requests, request.tags["archive/import"]) == ([], "2026")
    tags = {**request.tags, RUN_KEY_TAG: request.run_key or ""}

    def succeeds() -> bool:
        return import_files.execute_in_process(
            run_config=request.run_config,
            instance=instance,
            tags=tags,
            resources={"archive": archive},
            raise_on_error=False,
        ).success

    bucket.put("in/2026/conversations.json", [chatgpt("c2", chain("x", "y"))])  # replaced while the run waited
    assert not succeeds()
    bucket.put("in/2026/conversations.json", [chatgpt("c1", chain("x", "y"))])
    assert succeeds()
    assert query(archive.database, "SELECT path, status FROM raw.imports WHERE path LIKE 's3:%%'") == [
        ("s3://exports/in/2026/conversations.json", "done")
    ]
    # A storage that does not answer leaves the cursor as it is.
    bucket.server.fault = lambda *_: "refuse"
    with pytest.raises(UnreadableInputError):
        tick(second.cursor)
