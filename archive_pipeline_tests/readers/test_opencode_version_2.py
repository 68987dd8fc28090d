"""OpenCode's exports of version 2, whose messages have a type that says what they are."""

from __future__ import annotations

from archive_pipeline_tests.readers.opencode_sessions import NEWER, PICTURE, SESSION, START, entry, parts, read, who


def test_a_session_of_version_2_is_read_whole():
    listed = {"status": "completed", "input": {"command": "ls"}, "content": [{"type": "text", "text": "a.csv"}]}
    failed = {"status": "error", "input": {"path": "/b"}, "error": {"type": "unknown", "message": "No such file"}}
    seen = {"type": "file", "uri": PICTURE, "mime": "image/png", "name": "pit.png"}
    shown = {**listed, "input": {"path": "/pit.png"}, "content": [{"type": "text", "text": "Image read"}, seen]}
    answer = entry(
        "msg_2",
        "assistant",
        agent="build",
        model={"id": "gpt-5.2", "providerID": "openai", "variant": "default"},
        content=[
            {"type": "reasoning", "text": "ls will do", "state": {"itemId": "rs_1"}},
            *({"type": "tool", "id": f"call_{at}", "name": name, "state": state, "time": {"created": START}}
              for at, (name, state) in enumerate((("shell", listed), ("read", failed), ("read", shown)))),
            {"type": "text", "text": "There is one."},
        ],
        time={"created": START + 2_000, "completed": START + 2_500},
    )  # fmt: skip
    halted = {"content": [], "model": {"id": "gpt-5.2"}, "error": {"type": "aborted", "message": "Step interrupted"}}
    switched = entry("msg_3", "model-switched", model={"id": "gpt-5.2", "providerID": "openai"})
    idle = entry("msg_9", "idle", outcome="interrupted")
    file = {"uri": "file:///work/a.csv", "mime": "text/plain", "name": "a.csv", "mention": {"start": 0, "end": 6}}
    record = read(
        {
            "info": NEWER,
            "messages": [
                entry("msg_1", "user", text="List the files", files=[file]),
                answer,
                switched,
                entry("msg_4", "synthetic", text="The plan mode is on"),
                entry("msg_5", "system", text="It is Thursday", description="date"),
                entry(
                    "msg_6",
                    "shell",
                    shellID="sh_1",
                    command="ls",
                    status="exited",
                    output={"output": "a.csv", "size": 5},
                ),
                entry(
                    "msg_7", "compaction", status="completed", reason="auto", summary="One file.", recent="[user]: List"
                ),
                entry("msg_8", "assistant", **halted),
                idle,
            ],
        }
    )
    about = (record.source_id, record.title, record.project_id)
    assert about == (SESSION, "Sum", "/work/loess")
    assert who(record) == [
        ("user", False, "complete"),
        ("assistant", False, "complete"),
        *[("system", True, "complete")] * 4,
        ("assistant", False, "aborted"),
    ]
    assert [parts(each) for each in record.messages] == [
        [("text", "List the files")],
        [
            ("thinking", "ls will do"),
            *[("tool_use", None), ("tool_result", "a.csv")],
            *[("tool_use", None), ("tool_result", "No such file")],
            *[("tool_use", None), ("tool_result", "Image read"), ("image", None)],
            ("text", "There is one."),
        ],
        [("context", "The plan mode is on")],
        [("context", "It is Thursday")],
        [("context", "ls"), ("context", "a.csv")],
        [("context", "One file.")],
        [("error", "Step interrupted")],
    ]
    given = record.messages[1]
    assert (given.model, given.source["model"]) == ("gpt-5.2", {"providerID": "openai", "variant": "default"})
    calls = [(each.tool_name, each.tool_use_id, each.is_error) for each in given.parts if each.tool_name]
    assert calls == [
        *[("shell", "call_0", None), ("shell", "call_0", False)],
        *[("read", "call_1", None), ("read", "call_1", True)],
        *[("read", "call_2", None), ("read", "call_2", False)],
    ]
    assert [file.file_name for file in record.messages[0].attachments] == ["a.csv"]
    assert record.source_json["messages"] == [switched, idle]
    assert not record.warnings
