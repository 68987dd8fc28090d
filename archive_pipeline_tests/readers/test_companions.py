"""Companions of an export: told by kind, and never taken for one if conversations are in them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.readers.companions import companion_kind, may_hold_conversations
from archive_pipeline.readers.json.rejections import excerpt_of
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline_tests.exports import chain, chatgpt, claude

SESSION = "session-state/0c3c1c7a-0000-4000-8000-000000000001"


def found(path: Path) -> tuple[list[str | None], dict[str, str]]:
    """Titles of the dialogues, and what was skipped by the file's name; nothing may be rejected."""
    reading = read_paths([path])
    records = [record for file in reading for record in file.records()]
    assert all(isinstance(record, ReadDialogue) for record in records)
    titles = [record.record.title for record in records if isinstance(record, ReadDialogue)]
    return titles, {Path(file.locator).name: file.reason for file in reading.skipped}


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("ads.json", {"impressions": []}, "advertisements"),
        ("conversation_asset_file_names.json", {"file-A.dat": "a.png"}, "names of attached files"),
        ("Export/USER.json", {"id": "u"}, "user profile"),
        ("memories.json", {"project_memories": {}}, "memories"),
        ("projects/8c1d.json", {"uuid": "p", "docs": []}, "projects"),
        ("artifacts/8c1d/artifact.json", {"kind": "page", "versions": [{"id": "v1", "title": "Chart"}]}, "artifacts"),
        ("artifacts/8c1d/artifact_comments.json", {"threads": [{"comments": [{"text": "Nice."}]}]}, "artifacts"),
        ("artifacts/8c1d/versions/v1/chart.js", "draw()", "artifacts"),
        ("library_files-003.json", [{"file_id": "f"}], "list of the file library"),
        ("manifest-8c1d-2026-09-02.json", {"files": []}, "manifest of the export"),
        ("sora.json", [1, 2, 3], "Sora"),
        ("s/subagents/agent-a36.meta.json", {"agentType": "Explore"}, "descriptions of subagents"),
        ("sessions-index.json", {"entries": []}, "list of sessions"),
        (
            "session_index.jsonl",
            {"id": "s", "thread_name": "Fix it"},
            "list of sessions",
        ),
        ("sessions/sessions.json", {"agent:main:main": {"sessionId": "s"}}, "list of sessions"),
        ("version.json", {"latest_version": "1.0"}, "version of the program"),
        ("models_cache.json", {"models": []}, "list of models"),
        ("models.json", {"providers": {}}, "list of models"),
        ("manifest.json", {"format": "traces", "files": []}, "manifest of an exported data set"),
        ("settings.json", {"theme": "dark"}, "settings"),
        ("User/globalStorage/storage.json", {"telemetry.machineId": "m"}, "settings"),
        ("User/keybindings.json", [{"key": "ctrl+x", "command": "cut"}], "settings"),
        ("ws/workspace.json", {"folder": "file:///w"}, "folder of the workspace"),
        ("p/8534a502-106a-4227-a227-55fac3265fcd.settings.json", {"model": "m"}, "settings"),
        (f"-work/chats/{SESSION}.runtime.json", {"pid": 1, "session_id": SESSION}, "files of a session"),
        ("-work/extract-cursor.json", {"sessionId": SESSION, "processedOffset": 4}, "projects"),
        ("1770514213626 - 185.png.metadata.json", {"type": "image"}, "descriptions of attached files"),
        ("history.jsonl", {"session_id": "s", "ts": 1, "text": "Go"}, "history of prompts"),
        ("tmp/p/logs.json", [{"sessionId": "s", "type": "user", "message": "Go"}], "log of prompts"),
        ("s/tool-results/toolu_1.json", [1], "tools' results"),
        ("tasks/1769053680585/ui_messages.json", [{"ts": 1, "say": "text"}], "what was shown of a task"),
        ("tasks/1769053680585/history_item.json", {"id": "1", "task": "Go"}, "list of tasks"),
        ("sessions/s/1789000000000_abcde.json", {"session_id": "s", "prompt": "Go"}, "descriptions of sessions"),
        (f"{SESSION}/vscode.metadata.json", {"workspaceFolder": "/w"}, "notes of an editor"),
        (f"{SESSION}/rewind-snapshots/index.json", {"version": 1, "snapshots": []}, "snapshots of files"),
        (f"{SESSION}/files/plan.json", {"steps": 3}, "files of a session"),
        ("My Activity/Gemini Apps/quiz-1f2e.json", [{"question": "How tall?", "answer": "Tall"}], "attached files"),
        ("My Activity/Gemini Apps/chat-1f2e.json", [{"role": "user", "content": "How tall?"}], "attached files"),
        ("dev_data/0.2.0/autocomplete.jsonl", {"prompt": "def f", "completion": "(x)"}, "log of events"),
        ("dev_data/autocomplete.jsonl", {"prompt": "def f", "completion": "(x)"}, "log of events"),
        ("s/sessions/s1.trajectory-path.json", {"runtimeFile": "/s1.trajectory.jsonl"}, "logs of runs"),
        ("c/cache/openrouter_models.json", {"m": {"maxTokens": 1}}, "list of models"),
        ("c/cache/mcp_marketplace_catalog.json", {"items": []}, "list of tools"),
        ("c/cache/remote_config_org-1.json", {"version": "v1"}, "settings"),
        ("shopping.json", [], "shopping"),
        ("user.json", "broken", "user profile"),
    ],
)
def test_a_companion_is_named_and_not_rejected(tmp_path: Path, name: str, value: Any, kind: str):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as export:
        export.writestr("conversations.json", json.dumps([chatgpt("c1", chain("a"), title="T")]))
        export.writestr(name, json.dumps(value)[:-1] if value == "broken" else json.dumps(value))
    titles, skipped = found(tmp_path / "export.zip")
    assert titles == ["T"]
    assert skipped == {Path(name).name: f"a companion of the export: {kind}"}


@pytest.mark.parametrize("name", ["user.json", "projects.json", "design_chats/a.json", "group_chats.json"])
@pytest.mark.parametrize("before", [0, 250])
def test_conversations_are_read_whatever_the_file_is_called(tmp_path: Path, name: str, before: int):
    path = tmp_path / "export" / name
    path.parent.mkdir(parents=True)
    (tmp_path / "export" / "conversations.json").write_text(json.dumps([chatgpt("c1", chain("a"), title="T")]))
    path.write_text(json.dumps([*[{"id": "x"}] * before, claude("t1", "q", name="Talk")]))
    reading = read_paths([tmp_path / "export"])
    records = [record for file in reading for record in file.records()]
    titles = {record.record.title for record in records if isinstance(record, ReadDialogue)}
    assert titles == {"T", "Talk"}
    assert reading.files[-1].locator == str(path)


def test_a_companion_that_is_named_is_one_unless_its_source_is_given(tmp_path: Path):
    path = tmp_path / "user.json"
    path.write_text("{}")
    reading = read_paths([path])
    assert list(reading) == []
    assert [file.kind for file in reading.skipped] == ["user profile"]
    assert [file.companion for file in reading.companions] == ["user profile"]
    assert [record for file in read_paths([path], source="chatgpt") for record in file.records()]


@pytest.mark.parametrize("source", [None, "codex"])
@pytest.mark.parametrize("name", ["auth.json", "login_history.json"])
def test_a_private_file_that_is_named_is_not_opened(tmp_path: Path, name: str, source: str | None):
    path = tmp_path / name
    path.write_text('{"token": "x"}')
    path.chmod(0)
    reading = read_paths([path], source=source)
    assert list(reading) == []
    assert [file.reason for file in reading.skipped] == [f"private and never opened: {name}"]


@pytest.mark.parametrize(
    "name",
    [
        *("conversations.json", "conversations-001.json", "projects/conversations-001.json", "other.json", "use.json"),
        *("history.json", "logs.jsonl", "index.json", "files/plan.json", "my_models.json", "remote_config_1.json"),
        *("trajectory.json", "s/trajectory.jsonl", "dev_data/alpaca.jsonl"),
    ],
)
def test_what_may_be_conversations_is_no_companion(name: str):
    assert companion_kind(name) is None


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.jsonl", "a.sqlite", "a", "conversations.json.bak", "a.xyz"])
def test_what_is_of_no_known_kind_may_hold_conversations(name: str):
    assert may_hold_conversations(name)
    assert not may_hold_conversations(f"file-{'A' * 22}-{name}")


def test_a_log_that_repeats_a_session_for_each_of_its_runs_is_read_only_if_it_is_named(tmp_path: Path):
    path = tmp_path / "sessions" / "s1.trajectory.jsonl"
    path.parent.mkdir()
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    about = {"traceSchema": "openclaw-trajectory", "type": "context.compiled"}
    path.write_text(json.dumps({**about, "data": {"messages": messages}}))
    assert found(tmp_path) == ([], {"s1.trajectory.jsonl": "a companion of the export: logs of runs"})
    assert any(isinstance(record, ReadDialogue) for file in read_paths([path]) for record in file.records())


LOGINS = {
    ".copilot": ["config.json", "mcp-config.json", "mcp-oauth-config/a1.tokens.json", "mcp-oauth-config/a1.json"],
    ".openclaw": [
        *("openclaw.json", "exec-approvals.json", "identity/device.json", "identity/device-auth.json"),
        *("credentials/oauth.json", "credentials/whatsapp/default/pre-key-1.json", "devices/paired.json"),
    ],
    ".hermes": [
        *("google_token.json", "google_client_secret.json", "whatsapp/session/creds.json"),
        *("platforms/whatsapp/session/pre-key-1.json", "mcp-tokens/server.json"),
    ],
    ".qwen": ["settings.json", "mcp-oauth-tokens.json"],
    ".continue": ["config.json"],
    "crush": ["crush.json"],
}


def assert_never_opened(path: Path) -> None:
    """Nothing of a place is read, and nothing of it told."""
    reading = read_paths([path])
    assert [record for file in reading for record in file.records()] == []
    assert reading.skipped
    assert all(file.reason.startswith("private and never opened: ") for file in reading.skipped)


@pytest.mark.parametrize(("home", "name"), [(home, name) for home, names in LOGINS.items() for name in names])
def test_logins_beside_sessions_of_agents_are_never_opened(tmp_path: Path, home: str, name: str):
    path = tmp_path / home / name
    path.parent.mkdir(parents=True)
    path.write_text('{"token": "t"}')
    assert_never_opened(tmp_path / home)
    assert_never_opened(path)
    if path.parent.name != home:
        assert_never_opened(path.parent)
    packed = tmp_path / f"{home.removeprefix('.')}.zip"
    with zipfile.ZipFile(packed, "w") as export:
        export.writestr(name, '{"token": "t"}')
    assert_never_opened(packed)


def test_a_name_that_says_nothing_is_no_login_elsewhere(tmp_path: Path):
    for name in ("credentials/export/config.json", "credentials/export/session/device.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([chatgpt(name, chain("a"), title="T")]))
    assert found(tmp_path / "credentials" / "export") == (["T", "T"], {})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"token": "gho_1", "a": 1}', '{"token": "…", "a": 1}'),
        ('{"a": {"API_KEY":"k\\"k", "b": "c"}}', '{"a": {"API_KEY":"…", "b": "c"}}'),
        ('{"copilot_tokens": {"https://github.com:me": "gho_1"}}', '{"copilot_tokens": "…"'),
        ('{"mcpServers": {"a": {"env": {"A": "sk"}}}}', '{"mcpServers": {"a": {"env": "…"'),
        ('{"privateKeyPem": "-----BEGIN', '{"privateKeyPem": "…"'),
        ('{"max_tokens": 5, "a": "token", "b": 1}', '{"max_tokens": 5, "a": "token", "b": 1}'),
    ],
)
def test_an_excerpt_shows_no_value_of_a_field_that_is_named_like_a_secret(text: str, shown: str):
    assert excerpt_of(text.encode()) == shown


@pytest.mark.parametrize("named", [".", "settings.json"])
def test_logins_are_never_opened_from_within_the_agents_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
):
    home = tmp_path / ".qwen"
    home.mkdir()
    (home / "settings.json").write_text('{"apiKey": "k"}')
    monkeypatch.chdir(home)
    assert_never_opened(Path(named))


def test_a_link_to_a_login_that_only_its_folder_tells_is_not_followed(tmp_path: Path):
    settings = tmp_path / ".qwen" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"apiKey": "k"}')
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "a.json").symlink_to(settings)
    assert_never_opened(tmp_path / "sessions")


@pytest.mark.parametrize("name", ["1770514213628 - 187.json", "1770514213629 - 188.jsonl"])
def test_a_file_that_the_user_of_lm_studio_attached_is_no_conversation(tmp_path: Path, name: str):
    (tmp_path / name).write_text('{"messages": [{"role": "user", "content": "q"}]}')
    assert found(tmp_path) == ([], {name: "a companion of the export: attached files"})
