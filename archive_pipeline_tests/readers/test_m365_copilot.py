"""Microsoft 365 Copilot: pages by session, cards that are the answer, marks of attachments, order, what is damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import AttachmentRecord, DialogueRecord, PartRecord, PartType, RejectedRecord
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.drift import Drift
from archive_pipeline.readers.m365_copilot import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline.store.database import Database
from archive_pipeline_tests.tables import query

SESSION = "19:icg2t_AWPYJyJ2oDLB_CZyh29QXpZvbdpljKf7qKotk1@thread.v2"
CARD = "application/vnd.microsoft.card.adaptive"
MARK = '<attachment id="536d43717ec04a72b5eae0dba4da2a12"></attachment>'


def interaction(own: str, kind: str, at: int, said: str, html: bool = False, **more: Any) -> dict[str, Any]:
    """An interaction as Graph gives it, so many seconds after the first."""
    speaker = {"user": {"id": "u", "displayName": "Ada", "userIdentityType": "aadUser"}, "application": None}
    if kind == "aiResponse":
        bot = {"id": "b", "displayName": "Microsoft 365 Chat", "applicationIdentityType": "bot"}
        speaker = {"user": None, "application": bot}
    return {
        "id": own,
        "sessionId": SESSION,
        "requestId": "7336770c-fb25-48ac-8303-4493ad11ed71",
        "appClass": "IPM.SkypeTeams.Message.Copilot.BizChat",
        "interactionType": kind,
        "conversationType": "bizchat",
        "etag": own,
        "createdDateTime": f"2024-11-15T20:16:{at:02}.008Z",
        "locale": "en-us",
        "contexts": [],
        "from": {"@odata.type": "#microsoft.graph.chatMessageFromIdentitySet", "device": None, **speaker},
        "body": {"contentType": "html" if html else "text", "content": said},
        "attachments": [],
        "links": [],
        "mentions": [],
        **more,
    }


def asked(own: str, at: int, said: str = "q", **more: Any) -> dict[str, Any]:
    return interaction(own, "userPrompt", at, said, **more)


def answered(own: str, at: int, said: str = "a", **more: Any) -> dict[str, Any]:
    return interaction(own, "aiResponse", at, said, **more)


def read(*interactions: Any) -> DialogueRecord:
    record = READER.read({"tree": SESSION, "messages": list(interactions)}, "a.json")
    assert isinstance(record, DialogueRecord)
    return record


def read_file(path: Path, value: Any) -> list[ReadDialogue | RejectedRecord]:
    path.write_text(json.dumps(value))
    return [item for file in read_paths([path]) for item in file.records()]


def test_interactions_are_messages_in_the_order_of_their_times():
    record = read(answered("2", 5), asked("3", 9, "q2"), asked("1", 5))
    assert (record.source, record.source_id, record.is_linear_source) == ("m365_copilot", SESSION, True)
    assert [(message.source_id, message.role, message.author_name) for message in record.messages] == [
        ("1", "user", "Ada"),
        ("2", "assistant", "Microsoft 365 Chat"),
        ("3", "user", "Ada"),
    ]
    assert record.created_at == datetime(2024, 11, 15, 20, 16, 5, 8000, UTC)
    assert record.updated_at == datetime(2024, 11, 15, 20, 16, 9, 8000, UTC)
    first = record.messages[0]
    assert first.parts == (PartRecord(PartType.TEXT, "q", "body", source={"contentType": "text"}),)
    assert set(first.source) == {
        *("requestId", "appClass", "interactionType", "conversationType", "etag", "createdDateTime", "locale", "from")
    }


def test_a_card_says_the_answer():
    card = {
        "type": "AdaptiveCard",
        "body": [
            {"type": "TextBlock", "text": "It looks like you need help."},
            {"type": "Container", "items": [{"type": "FactSet", "facts": [{"title": "When", "value": "Friday"}]}]},
            {"type": "RichTextBlock", "inlines": ["Ask ", {"type": "TextRun", "text": "again."}]},
        ],
    }
    attachment = {"attachmentId": "536d", "contentType": CARD, "contentUrl": None, "content": json.dumps(card)}
    [message] = read(answered("2", 5, MARK, html=True, attachments=[attachment])).messages
    assert message.parts == (
        PartRecord(PartType.TEXT, None, "body", source={"contentType": "html", "content": MARK}),
        PartRecord(
            PartType.TEXT, "It looks like you need help.\n\nWhen\n\nFriday\n\nAsk again.", CARD, source=attachment
        ),
    )
    assert message.attachments == ()


@pytest.mark.parametrize("content", ["no JSON", "[]", '{"type": "AdaptiveCard"}'])
def test_a_card_without_a_text_is_an_attachment(content: str):
    attachment = {"attachmentId": "536d", "contentType": CARD, "contentUrl": None, "content": content, "name": None}
    [message] = read(answered("2", 5, attachments=[attachment])).messages
    assert message.attachments == (AttachmentRecord("536d", mime_type=CARD, extracted_text=content),)


def test_marks_of_attachments_are_no_text_and_html_is_markdown():
    [first, second] = read(
        asked("1", 1, f"Why?{MARK}"), answered("2", 2, f"<p>So <b>that</b></p>{MARK}", html=True)
    ).messages
    assert first.parts == (
        PartRecord(PartType.TEXT, "Why?", "body", source={"contentType": "text", "content": f"Why?{MARK}"}),
    )
    assert second.parts[0].text == "So **that**"


@pytest.mark.parametrize("said", ["  indented\n", "\n", " a "])
def test_a_text_that_is_not_changed_stays_to_the_letter(said: str):
    [message] = read(asked("1", 5, said)).messages
    assert message.parts == (PartRecord(PartType.TEXT, said, "body", source={"contentType": "text"}),)


def test_files_links_and_contexts_are_parts_and_attachments():
    file = {
        "attachmentId": "f",
        "contentType": "reference",
        "contentUrl": "https://a/b",
        "content": None,
        "name": "Plan",
    }
    [message] = read(
        answered(
            *("2", 5),
            attachments=[file],
            links=[{"linkUrl": "https://c/d", "displayName": "Notes", "linkType": "1"}],
            contexts=[{"contextReference": "https://e/f", "displayName": "Meeting", "contextType": "TeamsMeeting"}],
        )
    ).messages
    assert message.parts[1:] == (
        PartRecord(PartType.CITATION, "Notes", "links", uri="https://c/d", source={"linkType": "1"}),
        PartRecord(PartType.CONTEXT, "Meeting", "contexts", uri="https://e/f", source={"contextType": "TeamsMeeting"}),
    )
    assert message.attachments == (
        AttachmentRecord("f", "Plan", uri="https://a/b", source={"contentType": "reference"}),
    )


def test_a_page_is_the_dialogues_of_its_sessions(tmp_path: Path):
    other = {"sessionId": "19:other@thread.v2"}
    page = {
        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#Collection(microsoft.graph.aiInteraction)",
        "@odata.nextLink": "https://graph.microsoft.com/v1.0/next",
        "value": [asked("1", 1), asked("8", 1) | other, "x", answered("2", 2), answered("9", 2) | other],
    }
    items = read_file(tmp_path / "page.json", page)
    found = [item.record for item in items if isinstance(item, ReadDialogue)]
    assert [(record.source_id, [message.source_id for message in record.messages]) for record in found] == [
        (SESSION, ["1", "2"]),
        ("19:other@thread.v2", ["8", "9"]),
    ]
    assert len(items) == 2
    assert found[1].source_json == {**{name: page[name] for name in page if name != "value"}, "value": ["x"]}
    assert found[1].warnings == {"malformed_message": 1}


@pytest.mark.parametrize("as_lines", [False, True])
def test_interactions_without_a_page_are_gathered(tmp_path: Path, as_lines: bool):
    values = [answered("2", 2), asked("8", 1) | {"sessionId": "s"}, asked("1", 1)]
    path = tmp_path / "a.json"
    path.write_text("\n".join(map(json.dumps, values)) if as_lines else json.dumps(values))
    items = [item for file in read_paths([path]) for item in file.records()]
    found = [item.record for item in items if isinstance(item, ReadDialogue)]
    assert {record.source_id: len(record.messages) for record in found} == {SESSION: 2, "s": 1}


def test_what_is_damaged_is_kept_and_counted():
    record = read(
        asked("1", 1) | {"body": {"content": 7}},
        asked("1", 2, "other"),
        "x",
        interaction("2", "systemEvent", 3, "z") | {"createdDateTime": "soon", "links": ["y"]},
    )
    assert record.warnings == {
        "malformed_message": 1,
        "malformed_text": 1,
        "duplicate_message": 1,
        "unknown_role": 1,
        "bad_timestamp": 1,
    }
    assert record.source_json == {"messages": ["x", asked("1", 2, "other")]}
    assert record.messages[0].source["body"] == {"content": 7}
    assert record.messages[1].source["links"] == ["y"]
    empty = READER.read({"tree": SESSION, "messages": []}, "a.json")
    assert empty == RejectedRecord("a.json", "the session has no interactions", "missing interactions")


def test_only_interactions_are_taken():
    assert recognise({"tree": SESSION, "messages": [asked("1", 1)]}).source == "m365_copilot"
    assert recognise({"value": [asked("1", 1)]}).source == "m365_copilot"
    assert not recognise({"value": [{"sessionId": "s", "interactionType": "userPrompt"}]}).is_recognised
    assert not recognise({"value": [{"id": "1", "displayName": "a"}]}).is_recognised


def test_nothing_that_is_documented_is_drift():
    seen = Drift()
    for name in ("messages", "value"):
        seen.look_at("m365_copilot", {name: [asked("1", 1), answered("2", 2)]}, "a.json")
    assert not seen.found


def test_pages_add_to_a_session_and_take_nothing_from_it(database: Database, tmp_path: Path):
    def imported(*interactions: Any) -> list[tuple[Any, ...]]:
        path = tmp_path / "page.json"
        path.write_text(json.dumps({"value": list(interactions)}))
        import_archive(database, read_paths([path]))
        live = "SELECT source_id FROM raw.messages WHERE deleted_at IS NULL ORDER BY created_at"
        return [own for (own,) in query(database, live)]

    assert imported(answered("4", 4), asked("3", 3)) == ["3", "4"]
    assert imported(answered("2", 2), asked("1", 1)) == ["1", "2", "3", "4"]
    assert imported(answered("2", 2), asked("1", 1)) == ["1", "2", "3", "4"]
