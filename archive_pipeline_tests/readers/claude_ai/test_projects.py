"""Projects and memories of Claude.ai, in the shapes of before and since 2026."""

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.claude_ai.projects import ProjectText, memory_texts, project_texts

PROJECT = {
    "uuid": "p1",
    "name": "Canal",
    "prompt_template": "Answer in Dutch.",
    "docs": [
        {"uuid": "d1", "filename": "locks.md", "content": "Lock gates."},
        {"uuid": "d2", "content": "No name."},
        {"uuid": "d3", "filename": "empty.md", "content": ""},
        "odd",
    ],
}
TEXTS = [
    ProjectText("Canal - instructions", "Answer in Dutch.", "p1", "Canal"),
    ProjectText("locks.md", "Lock gates.", "p1", "Canal", "d1"),
    ProjectText("d2", "No name.", "p1", "Canal", "d2"),
]


@pytest.mark.parametrize("value", [PROJECT, [PROJECT], [PROJECT, {"name": "no id"}, None]])
def test_documents_and_instructions_of_projects_are_texts(value):
    found = list(project_texts(value, "p.json"))
    assert [item for item in found if isinstance(item, ProjectText)] == TEXTS
    assert [item.locator.rpartition("docs")[2] for item in found if isinstance(item, RejectedRecord)] == ["[3]"]


def test_a_project_without_an_id_is_read():
    project = {"prompt_template": "Be brief.", "docs": [{"content": "Text."}]}
    assert list(project_texts(project, "p.json")) == [
        ProjectText("project - instructions", "Be brief."),
        ProjectText("document", "Text."),
    ]


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (None, []),
        ([], []),
        ({}, []),
        ({"name": "n", "docs": None, "prompt_template": ""}, []),
        ([{}, 5], ["p[1]"]),
        ({"docs": "x"}, ["p.docs"]),
        ({"docs": [{"content": 7}, {"filename": "a"}, "odd"]}, ["p.docs[0].content", "p.docs[2]"]),
        ([{"prompt_template": ["a"]}], ["p[0].prompt_template"]),
    ],
)
def test_what_stands_in_the_place_of_a_text_is_rejected_by_its_place(value, places):
    assert [item.locator for item in project_texts(value, "p")] == places


MEMORIES = {
    "conversations_memory": "Rows.",
    "project_memories": {"p1": "Locks.", "p2": "Tolls.", "p3": ""},
    "memory_files": [
        {"path": "/people/ada.md", "content": "Rows too.", "updated_at": "2026-09-01T09:00:00Z"},
        {"content": "No path."},
        {"path": "/empty.md", "content": ""},
    ],
}


@pytest.mark.parametrize("value", [MEMORIES, [MEMORIES]])
def test_memories_are_texts_with_the_names_of_their_projects(value):
    assert list(memory_texts(value, "m.json", {"p1": "Canal"})) == [
        ProjectText("Memory of conversations", "Rows."),
        ProjectText("Memory of Canal", "Locks.", "p1", "Canal"),
        ProjectText("Memory of p2", "Tolls.", "p2"),
        ProjectText("people/ada.md", "Rows too."),
        ProjectText("memory", "No path."),
    ]


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (None, []),
        ([], []),
        ("x", ["m"]),
        ({"project_memories": ["x"]}, ["m.project_memories"]),
        ([{"conversations_memory": 3}], ["m[0].conversations_memory"]),
        ({"project_memories": {"p": 5}}, ["m.project_memories.p"]),
        ({"memory_files": {"/a.md": "x"}}, ["m.memory_files"]),
        (
            {"memory_files": [{"path": "/a.md", "content": 5}, "odd", {"path": "/b.md", "text": "x"}]},
            ["m.memory_files[0].content", "m.memory_files[1]", "m.memory_files[2]"],
        ),
    ],
)
def test_memories_that_are_no_text_are_rejected_by_their_place(value, places):
    assert [item.locator for item in memory_texts(value, "m")] == places
