"""The pages as a browser gets them, over a real archive."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from archive_pipeline.browse import branchings
from archive_pipeline.browse.app import build_app
from archive_pipeline.browse.markdown import to_html
from archive_pipeline.browse.views import ROWS_ON_PAGE, templates
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.exports import Said, chain, chatgpt, claude, load
from archive_pipeline_tests.tables import query

EVIL = "<script>alert('title')</script>"


@pytest.fixture
def client(settings: Settings, database: Database) -> Iterator[Any]:
    with TestClient(build_app(SearchEngine(database, settings)), follow_redirects=False) as client:
        yield client


def page(client: Any, address: str, *, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    assert "script-src" not in answer.headers["content-security-policy"]
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    return str(answer.text)


def test_an_empty_archive_says_what_to_do(client: Any):
    assert "<code>llm-archive import PATH</code>" in page(client, "/")
    assert "<code>llm-archive documents add PATH</code>" in page(client, "/documents")


def test_texts_become_html_in_a_thread(
    client: Any, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def threaded(text: str, *, breaks: bool) -> str:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return to_html(text, breaks=breaks)

    load(database, tmp_path / "a.json", chatgpt("one", chain("a", "*b*\nc"), title="One"))
    monkeypatch.setitem(templates().filters, "markdown", threaded)
    key = query(database, "SELECT partition_key FROM raw.dialogues")[0][0]
    assert "<em>b</em><br />\nc" in page(client, f"/dialogues/{key}")


def test_conversations_are_listed_by_time_and_filtered(client: Any, database: Database, tmp_path: Path):
    old = chatgpt("old", chain("a", "b"), title="Old one", updated=1_600_000_000.0)
    load(database, tmp_path / "a.json", old, chatgpt("new", chain("a", "b"), title="New one", updated=1_700_000_000.0))
    load(database, tmp_path / "b.json", claude("talk", "a", "b", name="A talk"))
    html = page(client, "/")
    assert html.index("A talk") < html.index("New one") < html.index("Old one")
    assert "A talk" not in page(client, "/?source=chatgpt")
    assert "Old one" not in page(client, "/?since=2021-01-01")
    assert "No conversation fits these filters." in page(client, "/?model=none")


def test_empty_messages_have_no_box_and_are_not_counted(client: Any, database: Database, tmp_path: Path):
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    said = [
        Said("s0", None, "system", "", 1_700_000_000.0, more=hidden),
        Said("s1", "s0", "system", "Be brief.", 1_700_000_001.0, more=hidden),
        Said("u", "s1", "user", "Hello", 1_700_000_002.0),
        Said("a0", "u", "assistant", "", 1_700_000_003.0),
        Said("a1", "u", "assistant", "Hi", 1_700_000_004.0),
        Said("t", "a1", "assistant", " ", 1_700_000_005.0),
    ]
    load(database, tmp_path / "a.json", chatgpt("one", said, title="One", current="t"))
    assert "2 messages ·" in page(client, "/")
    html = page(client, "/dialogues/chatgpt-one")
    assert "· 2 messages and 1 hidden" in html
    assert re.findall(r'<article id="m-[-0-9a-f]+" class="message (\w+)"', html) == ["system", "user", "assistant"]
    assert "Regeneration 2 of 2" in html
    leaf = query(database, "SELECT id::text FROM raw.messages WHERE source_id = 't'")[0][0]
    assert page(client, f"/dialogues/chatgpt-one?at={leaf}").count("<article") == 3
    # Of several versions an empty one has its place.
    empty = query(database, "SELECT id::text FROM raw.messages WHERE source_id = 'a0'")[0][0]
    assert "Regeneration 1 of 2" in page(client, f"/dialogues/chatgpt-one?at={empty}")


def test_every_branch_is_listed_by_its_first_words(
    client: Any, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    said = chain("q", "a", "q2", "a2", "q3", "a3")
    said += [Said(f"n{number}", f"m{number - 1}", "user", f"new\n{number} {EVIL}", 2e9) for number in (2, 4)]
    said += [Said("n0", None, "user", "new 0", 2e9), Said("n1", "m0", "assistant", "again", 2e9)]
    said[1] = replace(said[1], content={"content_type": "text", "parts": ["a", "and more"]})
    load(database, tmp_path / "a.json", chatgpt("tree", said, current="m5"))
    with database.session() as connection:  # the first part is stored behind the second one
        connection.execute(
            "WITH part AS (DELETE FROM raw.content_parts WHERE text_content = 'a' RETURNING *) "
            "INSERT INTO raw.content_parts SELECT * FROM part"
        )
    monkeypatch.setattr(branchings, "BRANCHINGS_ON_PAGE", 3)
    html = page(client, "/dialogues/chatgpt-tree")
    assert "Branches in 4 places" in html
    listed = re.compile(r'<ol start="(\d)">|>(\w+: \d versions of) <bdi>(.*)</bdi></a>')
    assert listed.findall(html) == [
        ("1", "", ""),
        ("", "Fork: 2 versions of", "q"),
        ("", "Regeneration: 2 versions of", "a"),
        ("", "Edit: 2 versions of", "q2"),
    ]
    (rest,) = re.findall(r'<a href="(/dialogues/chatgpt-tree/branches\?start=3)">1 more</a>', html)
    html = page(client, rest)
    assert "Branches in 4 places, 4 to 4 here" in html
    assert listed.findall(html) == [("4", "", ""), ("", "Edit: 2 versions of", "q3")]
    assert '<a href="?start=0" rel="prev">' in html


def test_workspaces_and_states_are_in_the_form(client: Any, database: Database, tmp_path: Path):
    assert 'name="workspace"' not in page(client, "/")
    talk = {**claude("talk", "a", name="A talk"), "project": {"uuid": "p-1", "name": "<Canal>"}}
    load(database, tmp_path / "a.json", talk)
    load(database, tmp_path / "b.json", chatgpt("one", chain("a"), title="One", is_archived=True))
    assert '<option value="p-1">&lt;Canal&gt;</option>' in page(client, "/")
    assert "A talk" not in page(client, "/?archived=yes")
    assert "One" not in page(client, "/?workspace=p-1")
    html = page(client, "/?archived=no")
    assert "One" not in html
    assert '<option value="no" selected>no</option>' in html
    assert "Archived and Starred choose from the list" in page(client, "/?q=a&archived=yes", status=400)


def test_every_conversation_is_on_one_page_of_the_list(client: Any, database: Database, tmp_path: Path):
    count = 2 * ROWS_ON_PAGE + 3
    # Half of them at the same time: the order is whole all the same.
    conversations = [
        chatgpt(f"c{number}", chain("a"), title=f"title-{number}-", updated=1_700_000_000.0 + number // 2)
        for number in range(count)
    ]
    load(database, tmp_path / "a.json", *conversations)
    address, seen, pages = "/", [], 0
    while address:
        html = page(client, address)
        seen += [number for number in range(count) if f"title-{number}-" in html]
        pages += 1
        address = unescape(html.split('" rel="next"')[0].rpartition('href="')[2]) if 'rel="next"' in html else ""
    assert (pages, sorted(seen)) == (3, list(range(count)))


def test_what_others_wrote_is_shown_and_not_run(client: Any, database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("evil", chain(EVIL, EVIL), title=EVIL))
    for address in ("/", "/dialogues/chatgpt-evil", f"/?q={EVIL}"):
        html = page(client, address)
        assert "<script" not in html
        assert "&lt;script&gt;" in html


def test_all_kinds_of_parts_are_shown(client: Any, database: Database, tmp_path: Path):
    call = {"content_type": "code", "language": "python", "text": "x = 40\r\nprint(x + 2)"}
    result = {"content_type": "execution_output", "text": "the output is 42"}
    image = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}],
    }
    thinking = {"content_type": "thoughts", "thoughts": [{"summary": "Hm", "content": "let me see"}]}
    cited = [
        {"type": "webpage", "url": "https://e.org/42", "title": "Why 42", "start_idx": 0, "end_idx": 2},
        {"type": "webpage", "url": "javascript:alert(1)", "title": "Trap", "start_idx": 0, "end_idx": 2},
    ]
    messages = [
        Said(
            "a",
            None,
            "user",
            None,
            1.0,
            content=image,
            more={"metadata": {"attachments": [{"id": "f", "name": "cat.png", "size": 2048}]}},
        ),
        Said("b", "a", "assistant", None, 2.0, content=thinking),
        Said("c", "b", "assistant", None, 3.0, content=call, more={"recipient": "python"}),
        Said("d", "c", "tool", None, 4.0, content=result, more={"author": {"role": "tool", "name": "python"}}),
        Said("e", "d", "assistant", "It is **42**.", 5.0, more={"metadata": {"content_references": cited}}),
        Said("f", "e", "user", None, 6.0, content={"content_type": "brand_new", "x": 1}),
    ]
    load(database, tmp_path / "a.json", chatgpt("parts", messages, current="f"))
    html = page(client, "/dialogues/chatgpt-parts")
    for shown in (
        *(
            "file-service://x",
            "cat.png",
            "2 kB",
            "let me see",
            "Calls python",
            ">x = 40\r\nprint(x + 2)</pre>",
            "Result of python",
        ),
        *("the output is 42", "It is <strong>42</strong>.", "brand_new", "Tool <bdi>python</bdi>"),
    ):
        assert shown in unescape(html), shown
    assert '<a href="https://e.org/42" rel="noopener noreferrer nofollow">Why 42' in html
    assert "Trap" in html
    assert 'href="javascript' not in html


def test_results_of_tools_are_folded_once_and_pictures_of_tools_too(client: Any, database: Database, tmp_path: Path):
    result = {"content_type": "execution_output", "text": '{"cost":[1.10]}'}
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    picture = {"content_type": "multimodal_text", "parts": [pointer]}
    tool = {"author": {"role": "tool", "name": "python"}}
    messages = [
        Said("a", None, "user", "What is it?", 1.0),
        Said("b", "a", "tool", None, 2.0, content=result, more=tool),
        Said("c", "b", "tool", None, 3.0, content=picture, more=tool),
    ]
    load(database, tmp_path / "a.json", chatgpt("tools", messages, current="c"))
    html = page(client, "/dialogues/chatgpt-tools")
    assert re.findall("<summary>([^<]*(?:python|message))", html) == [
        "Result of python",
        "Show the tool message",
        "Result of python",
    ]
    assert '{\n  "cost": [\n    1.10\n  ]\n}</pre>' in unescape(html)


def test_a_search_leads_to_the_message(client: Any, settings: Settings, database: Database, tmp_path: Path):
    load(database, tmp_path / "a.json", chatgpt("tide", chain("Why are there tides?", "The moon pulls the water.")))
    build_stale(database, settings)
    (question,), (answer,) = query(database, "SELECT id::text FROM raw.messages ORDER BY sequence_number")
    for word, message, further in (("tides", question, f"&amp;through={answer}"), ("moon", answer, "")):
        assert f'href="/dialogues/chatgpt-tide?at={message}{further}#m-{message}"' in page(client, f"/?q={word}")
    assert f'id="m-{answer}"' in page(client, f"/dialogues/chatgpt-tide?at={answer}")
    assert "Nothing was found." in page(client, "/?q=zzzznothing")


def test_a_question_that_is_found_stands_with_its_answer(
    client: Any, settings: Settings, database: Database, tmp_path: Path
):
    load(database, tmp_path / "a.json", chatgpt("tide", chain("Why are there tides?", "The <moon> pulls the water.")))
    build_stale(database, settings)
    of_question, of_answer = (page(client, f"/?q={word}") for word in ("tides", "pulls"))
    assert re.search(r"Answer:</span> <bdi>The &lt;moon&gt; pulls the water\.", of_question)
    assert "Answer:" not in of_answer


def test_a_page_of_a_citation_leads_to_its_first_message(
    client: Any, settings: Settings, database: Database, tmp_path: Path
):
    load(database, tmp_path / "a.json", chatgpt("tide", chain("One?", "1", "Two?", "2")))
    build_stale(database, settings)
    dialogue, two, answer = ids_of(database, "m2", "m3")
    led = client.get(f"/pages/{dialogue}/2")
    expected = f"/dialogues/chatgpt-tide?at={two}&through={answer}#m-{two}"
    assert (led.status_code, led.headers["location"]) == (303, expected)


def test_a_page_of_a_regenerated_answer_leads_to_that_answer(
    client: Any, settings: Settings, database: Database, tmp_path: Path
):
    answers = [Said(f"b{number}", "m0", "assistant", f"answer {number}", 2.0 + number) for number in range(2)]
    load(database, tmp_path / "a.json", chatgpt("tree", [*chain("question", start=1.0), *answers], current="b1"))
    build_stale(database, settings)
    dialogue, question = ids_of(database, "m0")
    for number, answer in ((1, "answer 1"), (2, "answer 0")):
        location = client.get(f"/pages/{dialogue}/{number}").headers["location"]
        assert re.findall("<p[^>]*>(answer .)</p>", page(client, location)) == [answer]
        assert location.endswith(f"#m-{question}")


def test_a_page_of_hundreds_of_messages_leads_to_the_window_with_its_beginning(
    client: Any, settings: Settings, database: Database, tmp_path: Path
):
    before = chain("One?", "1", start=1.0)
    said = [
        Said("p", "m1", "system", "", 3.0),
        Said("q", "p", "user", "Two?", 4.0),
        *(
            Said(f"a{step}", f"a{step - 1}" if step else "q", "assistant", f"step {step}", 5.0 + step)
            for step in range(150)
        ),
    ]
    load(database, tmp_path / "a.json", chatgpt("long", [*before, *said]))
    build_stale(database, settings)
    dialogue, question, last = ids_of(database, "q", "a149")
    location = client.get(f"/pages/{dialogue}/2").headers["location"]
    # The empty message that the page begins with has no box.
    assert location == f"/dialogues/chatgpt-long?at={question}&through={last}#m-{question}"
    assert f'id="m-{question}"' in page(client, location)


def test_a_page_whose_answer_an_import_took_away_leads_to_its_prompt(
    client: Any, settings: Settings, database: Database, tmp_path: Path
):
    load(database, tmp_path / "a.json", chatgpt("tide", chain("One?", "1", "Two?", "2"), updated=1_700_000_000.0))
    build_stale(database, settings)
    dialogue, two = ids_of(database, "m2")
    load(database, tmp_path / "b.json", chatgpt("tide", chain("One?", "1", "Two?"), updated=1_800_000_000.0))
    location = client.get(f"/pages/{dialogue}/2").headers["location"]
    assert location.endswith(f"#m-{two}")
    assert f'id="m-{two}"' in page(client, location)


def test_a_page_whose_prompt_an_import_took_away_leads_to_its_answer(
    client: Any, settings: Settings, database: Database, tmp_path: Path
):
    said = chain("One?", "1", "Two?", "2")
    load(database, tmp_path / "a.json", chatgpt("tide", said, updated=1_700_000_000.0))
    build_stale(database, settings)
    dialogue, three = ids_of(database, "m3")
    left = [*said[:2], replace(said[3], parent="m1")]
    load(database, tmp_path / "b.json", chatgpt("tide", left, updated=1_800_000_000.0))
    location = client.get(f"/pages/{dialogue}/2").headers["location"]
    assert location == f"/dialogues/chatgpt-tide?at={three}#m-{three}"


def ids_of(database: Database, *source_ids: str) -> list[str]:
    """Return the id of the dialogue of some messages, then theirs."""
    rows = query(database, "SELECT source_id, id::text, dialogue_id::text FROM raw.messages")
    ids = {source_id: message_id for source_id, message_id, _ in rows}
    return [rows[0][2], *(ids[source_id] for source_id in source_ids)]


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/dialogues/nope", 404, "no dialogue has the key or id"),
        ("/dialogues/%00", 400, "NUL"),
        ("/documents/nope", 404, "no document has the id"),
        ("/documents/nope/pages/1/image", 404, "no document has the id"),
        ("/pages/nope/1", 404, "no dialogue has the key or id"),
        ("/pages/nope/x", 404, "Not Found"),
        ("/nowhere", 404, "Not Found"),
        ("/?since=yesterday", 400, "is no date"),
        ("/?after=x", 400, "begin with the first page"),
        ("/static/../app.py", 404, "Not Found"),
    ],
)
def test_what_cannot_be_shown_is_said_on_a_page(client: Any, address: str, status: int, said: str):
    html = page(client, address, status=status)
    assert said in unescape(html)
    assert 'href="/"' in html


def test_a_form_that_is_refused_keeps_what_was_typed(client: Any):
    html = unescape(page(client, "/?since=nonsense&title=joke&source=claude_ai", status=400))
    assert "From: " in html
    assert all(f'value="{typed}"' in html for typed in ("nonsense", "joke", "claude_ai"))


def test_a_dialogue_without_a_time_says_when_it_came(
    client: Any, database: Database, settings: Settings, tmp_path: Path
):
    said = [Said("q", None, "user", "When?", None), Said("a", "q", "assistant", "Never.", None)]
    load(database, tmp_path / "a.json", chatgpt("timeless", said))
    build_stale(database, settings)
    assert re.search(r"messages ·\s+imported <time", page(client, "/"))
    assert '<span class="note">chatgpt</span>' in page(client, "/?q=never")


def test_a_list_beyond_its_end_is_not_an_empty_archive(client: Any, database: Database, tmp_path: Path):
    beyond = "/?after=1990-01-01T00:00:00Z_00000000-0000-0000-0000-000000000000"
    assert "The archive holds no conversations yet." in page(client, beyond)
    load(database, tmp_path / "a.json", chatgpt("tide", chain("One?", "1")))
    html = page(client, beyond)
    assert "No further conversations." in html
    assert "holds no conversations" not in html


def test_nothing_can_be_changed(client: Any):
    for method in ("post", "put", "delete", "patch"):
        assert getattr(client, method)("/").status_code == 405
