"""What messages of Claude Code hold: results, pictures, files, thoughts."""

from __future__ import annotations

import base64
import hashlib

from archive_pipeline_tests.readers.claude_code.lines import (
    answer,
    call,
    chain,
    entry,
    parts,
    read,
    result,
    said,
    text,
    uuid,
)

PICTURE = base64.b64encode(b"\x89PNG picture").decode()


def test_results_with_the_users_words_behind_them_are_two_messages():
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}
    record = read(
        answer("a1", None, 0, "m1", call("t1", "Bash")),
        said("r1", "a1", 1, [block, text("do it otherwise")]),
        answer("a2", "r1", 2, "m2", text("ok")),
    )
    assert chain(record) == [
        ("a1", None, "assistant"),
        ("r1", "a1", "tool"),
        (f"{uuid('r1')}-text", "r1", "user"),
        ("a2", f"{uuid('r1')}-text", "assistant"),
    ]
    assert parts(record)[1:3] == [[("tool_result", "no")], [("text", "do it otherwise")]]
    assert record.messages[1].parts[0].is_error is True


def test_a_result_has_its_texts_and_its_pictures_beside_it():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    found = [text("one"), {"type": "tool_reference", "tool_name": "Read"}, picture, {"type": "odd", "x": 1}]
    record = read(answer("a1", None, 0, "m", call("t1", "Look")), result("r1", "a1", 1, "t1", found))
    text_part, image = record.messages[1].parts
    assert text_part.text == "one\n\nRead"
    assert text_part.source == {"content": [found[1], found[3]]}
    assert (image.part_type.value, image.tool_use_id, image.mime_type) == ("image", "t1", "image/png")
    assert image.content_sha256 == hashlib.sha256(b"\x89PNG picture").hexdigest()
    assert image.source == picture


def test_a_picture_in_a_prompt_is_a_part_with_the_hash_of_its_content():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    [message] = read(said("u1", None, 0, [picture, text("what is it?")])).messages
    assert message.role == "user"
    assert message.parts[0].content_sha256 == hashlib.sha256(b"\x89PNG picture").hexdigest()


def test_a_file_that_a_prompt_names_is_attached_to_it():
    about = {"type": "text", "file": {"filePath": "/work/a.md", "content": "# A", "numLines": 1}}
    line = entry("attachment", "f1", "h1", 2, attachment={"type": "file", "filename": "/work/a.md", "content": about})
    hook = entry("attachment", "h1", "u1", 1, attachment={"type": "hook_success"})
    record = read(said("u1", None, 0, "read @a.md"), hook, line, answer("a1", "f1", 3, "m", text("read")))
    [file] = record.messages[0].attachments
    assert (file.file_name, file.extracted_text) == ("/work/a.md", "# A")
    assert file.source["attachment"]["content"]["file"] == {"filePath": "/work/a.md", "numLines": 1}
    assert record.source_json["lines"] == [hook]
    assert chain(record)[1] == ("a1", "u1", "assistant")


def test_what_the_tool_says_in_the_models_place_is_no_answer():
    failed = answer("a1", "u1", 1, "x1", text("API Error: 500"), isApiErrorMessage=True)
    nothing = answer("a2", "a1", 2, "x2", text("No response requested."))
    for line in (failed, nothing):
        line["message"]["model"] = "<synthetic>"
    record = read(said("u1", None, 0, "hi"), failed, nothing)
    assert [(m.role, m.state, m.is_hidden, m.model) for m in record.messages[1:]] == [
        ("assistant", "error", False, None),
        ("system", "complete", True, None),
    ]
    assert parts(record)[1:] == [[("error", "API Error: 500")], [("context", "No response requested.")]]
    assert record.messages[1].source["message"]["model"] == "<synthetic>"


def test_thoughts_that_are_not_told_and_blank_texts_are_kept_without_a_text():
    record = read(
        answer("a1", None, 0, "m", text("\n\n")),
        answer("a2", "a1", 1, "m", {"type": "thinking", "thinking": "", "signature": "S"}),
        answer("a3", "a2", 2, "m", text("yes")),
    )
    assert parts(record) == [[("text", None), ("thinking", None), ("text", "yes")]]
    assert [part.source for part in record.messages[0].parts] == [{"text": "\n\n"}, {"signature": "S"}, None]
