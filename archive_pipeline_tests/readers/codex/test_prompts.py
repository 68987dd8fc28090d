"""What an editor or the desktop application writes around the user's words in a prompt of Codex."""

from __future__ import annotations

import pytest

from archive_pipeline_tests.readers.codex.sessions import meta, read, said

BROWSER = '<in-app-browser-context source="ambient-ui-state">\n# In app browser:\n- URL: x\n</in-app-browser-context>\n'
REQUEST = "## My request:\n"
COMMENT = "# Browser comments:\n\n## User Comment 1\nTarget: a.help\nComment:\n"


def pieces(text: str) -> tuple[str, list[tuple[str, str | None]]]:
    [message] = read(meta(), said("user", text)).messages
    return message.role, [(part.part_type.value, part.text) for part in message.parts]


@pytest.mark.parametrize(
    "before",
    [
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\n",
        f"# Files mentioned by the user:\n\n## a.png: /a.png\n\n{REQUEST}",
        f"\n# In app browser:\n- URL: x\n\n{REQUEST}",
        f"{BROWSER}\n{REQUEST}",
        BROWSER,
        f"# Selected text:\nwords\n\n{REQUEST}",
        f"# Review findings:\n\n## Finding 1 (a.py:1)\nWrong.\n\n{REQUEST}",
    ],
)
def test_what_is_shown_is_apart_from_the_question(before: str):
    words = "Fix it.\n\n## My request for Codex:\nagain"
    if before == BROWSER:
        words = "Fix it."
    assert pieces(f"{before}{words}") == ("user", [("context", before), ("text", words)])


def test_comments_are_the_users_words():
    second = f"\n\n## User Comment 2\nTarget: b\nComment:\nand this\n\n{BROWSER}\n{REQUEST}"
    assert pieces(f"{COMMENT}fix this{second}thanks") == (
        "user",
        [
            ("context", COMMENT),
            ("text", "fix this"),
            ("context", second.partition("and this")[0]),
            ("text", "and this"),
            ("context", second.partition("and this")[2]),
            ("text", "thanks"),
        ],
    )
    steps = "change:\n# Steps to do:\n1. rename"
    assert pieces(f"{COMMENT}{steps}")[1] == [("context", COMMENT), ("text", steps)]
    assert pieces(f"{COMMENT}fix this")[1] == [("context", COMMENT), ("text", "fix this")]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        (BROWSER, "system"),
        (f"{BROWSER}\n{REQUEST}", "system"),
        (f"# Review findings:\n\n## Finding 1\nWrong.\n\n{REQUEST}", "user"),
        (f"Why\n\n{REQUEST}?", "user"),
    ],
)
def test_what_the_user_chose_to_send_without_a_word_is_the_prompt(text: str, role: str):
    assert pieces(text) == (role, [("context" if role == "system" else "text", text)])


def test_answers_to_the_models_questions_are_the_users_words():
    reply = '[{"questionItemId":"i","question":"Which?","answer":"This."},{"answer":"Yes."}]'
    text = f"<send_user_message_question_reply>\n{reply}\n</send_user_message_question_reply>"
    [message] = read(meta(), said("user", text)).messages
    assert [(part.part_type.value, part.text) for part in message.parts] == [
        ("context", "Which?"),
        ("text", "This."),
        ("text", "Yes."),
    ]
    assert message.parts[0].source == {"text": text}
    unread = text.replace('"answer"', '"choice"')
    assert pieces(unread) == ("user", [("text", unread)])
