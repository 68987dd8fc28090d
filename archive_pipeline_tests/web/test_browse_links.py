"""Links into `llm-archive browse`: what they lead to, and that they are made only where there is an address."""

from __future__ import annotations

import pytest

from archive_pipeline.web.browse_links import cited_path, dialogue_path, document_path, link


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (dialogue_path("chatgpt-a_b"), "/dialogues/chatgpt-a_b"),
        (dialogue_path("../x?y#z"), "/dialogues/..%2Fx%3Fy%23z"),
        (document_path("one"), "/documents/one"),
        (cited_path("one", 3), "/pages/one/3"),
    ],
)
def test_names_stay_within_their_part_of_the_path(path: str, expected: str):
    assert path == expected


def test_there_is_no_link_without_an_address():
    assert link(None, "/pages/one/3") == {}
    assert link("http://127.0.0.1:3100", "/pages/one/3") == {"url": "http://127.0.0.1:3100/pages/one/3"}
