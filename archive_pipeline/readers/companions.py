"""Companions: what an export has beside its conversations, recognised by name; and what of it is nobody's business.

A name alone never hides conversations: whoever meets a companion looks into it before leaving it out. What is neither
JSON nor of a known kind may hold conversations of any format, and is never a companion. Private parts are the
exception: they are never opened. Neither are, in folders and zips, logs that repeat the sessions beside them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from archive_pipeline.readers.compressed import unpacked_name
from archive_pipeline.readers.file_ids import id_of_chat_file

ARTIFACTS: Final = "artifacts"
ASSET_NAMES: Final = "names of attached files"
EVENTS: Final = "log of events"
FILES: Final = "attached files"
FILE_DESCRIPTION: Final = "descriptions of attached files"
FILES_OF_SESSION: Final = "files of a session"
LIBRARY: Final = "list of the file library"
LOGS_OF_RUNS: Final = "logs of runs"
MANIFEST: Final = "manifest of the export"
MEMORIES: Final = "memories"
MODELS: Final = "list of models"
PROJECTS: Final = "projects"
SETTINGS: Final = "settings"
SHOWN: Final = "what was shown of a task"
TASKS: Final = "list of tasks"

_NAMES: Final[Mapping[str, str]] = {
    "ads": "advertisements",
    "conversation_asset_file_names": ASSET_NAMES,
    "export_manifest": MANIFEST,
    "group_chats": "group chats",
    "library_files": LIBRARY,
    "manifest": "manifest of an exported data set",
    "memories": MEMORIES,
    "message_feedback": "feedback on messages",
    "model_comparisons": "model comparisons",
    "projects": PROJECTS,
    "sessions-index": "list of sessions",
    "shared_conversations": "list of shared links",
    "shopping": "shopping",
    "sora": "Sora",
    "user": "user profile",
    "user_settings": "user settings",
    "users": "user profiles",
}
# What agents keep beside their sessions; in other files these names would say nothing.
_OF_AGENTS: Final[Mapping[str, str]] = {
    "_index.json": TASKS,
    "claude_messages.json": SHOWN,
    "context_history.json": "history of shortened texts",
    "globalstate.json": SETTINGS,
    "history.jsonl": "history of prompts",
    "history_item.json": TASKS,
    "hooks.jsonl": "log of hooks",
    "keybindings.json": SETTINGS,
    "logs.json": "log of prompts",
    "mcp_marketplace_catalog.json": "list of tools",
    "models.json": MODELS,
    "models_cache.json": MODELS,
    "session_index.jsonl": "list of sessions",
    "sessions.json": "list of sessions",
    "settings.json": SETTINGS,
    "storage.json": SETTINGS,
    "task_metadata.json": "files and models of a task",
    "taskhistory.json": TASKS,
    "ui_messages.json": SHOWN,
    "version.json": "version of the program",
    "vscode.metadata.json": "notes of an editor",
    "vscode.requests.metadata.json": "notes of an editor",
    "workspace.json": "folder of the workspace",
}
_FOLDERS: Final[Mapping[str, str]] = {
    "dalle-generations": "generated images",
    "memories": MEMORIES,
    "prod-mc-asset-server": FILES,
    "projects": PROJECTS,
    "rewind-snapshots": "snapshots of files",
    "textdocs": "canvas documents",
    "tool-results": "tools' results",
    "users": "user profiles",
}
# By names without their suffix: of subagents of Claude Code and Qwen Code, of sessions of Droid and Qwen Code, of files
# of LM Studio, and of sessions of Cline, whose messages are in <session>.messages.json.
_STEMS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"manifest-[0-9a-z_-]+"), MANIFEST),
    (re.compile(r"agent-[0-9a-z_-]+\.meta"), "descriptions of subagents"),
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.settings"), SETTINGS),
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:runtime|worktree)"), FILES_OF_SESSION),
    (re.compile(r"[0-9]{13} - [0-9]+\.[a-z0-9]+\.metadata"), FILE_DESCRIPTION),
    (re.compile(r"[0-9]{13}_[0-9a-z_-]+"), "descriptions of sessions"),
    (re.compile(r"[0-9a-z._-]+\.compaction"), "shortened histories"),
)
# Of a session of OpenClaw, what each call of the model got and gave, and where that is.
_TRAJECTORIES: Final = (".trajectory.jsonl", ".trajectory-path.json")
# Of Cline, in a folder that says so, of Copilot CLI, in that of a session, of Qwen Code, in that of a project, of the
# Gemini app, beside its activity, and of Continue, which logs each completion of code with its prompt.
_PLACES: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(?:.*/)?cache/[a-z0-9_]+_models\.json"), MODELS),
    (re.compile(r"(?:.*/)?cache/remote_config_[0-9a-z_-]+\.json"), SETTINGS),
    (re.compile(r"(?:.*/)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/(?:files|research)/.+"), FILES_OF_SESSION),
    (re.compile(r"(?:.*/)?(?:[a-z]-)?-[0-9a-z-]+/(?:extract-cursor|meta)\.json"), PROJECTS),
    (re.compile(r"(?:.*/)?gemini[ _-]apps/(?!my ?activity)[^/]+\.json"), FILES),
    (re.compile(r"(?:.*/)?dev_data/[0-9]+\.[0-9]+\.[0-9]+/[a-z]+\.jsonl"), EVENTS),
    (re.compile(r"(?:.*/)?dev_data/(?:autocomplete|chat|edit|quickedit|tokens_?generated)\.jsonl"), EVENTS),
)
# Of Claude.ai, in frames-000.zip: what an artifact is, what was said about it, and its versions, which are of any type.
_ARTIFACTS: Final = re.compile(
    r"(?:.*/)?artifacts/[^/]+/(?:(?:artifact|artifact_comments|comments)\.json|page\.md|versions/.+)"
)
_SHARD: Final = re.compile(r"-[0-9]{1,6}$")  # large files are cut into shards: user-000.json, user-001.json
# OpenAI's privacy portal: conversations and their files are in folders or zips of these names below this folder.
_PORTAL: Final = "user online activity"
_PORTAL_CONVERSATIONS: Final = "conversations__"
_PORTAL_FILES: Final = "files__"
_PORTAL_ADS: Final = "ads__"
_PRIVATE: Final = frozenset({"financial", "user profile", "contact info"})
# Of Grok, and logins and keys of Codex, Pi, OpenClaw, Gemini CLI, OpenCode, Cline, Cursor and Qwen Code, beside their
# sessions.
_PRIVATE_FILES: Final = frozenset(
    {
        *("prod-mc-auth-mgmt-api.json", "prod-mc-billing.json", "auth.json", "mcp-auth.json", "oauth_creds.json"),
        "mcp-oauth-tokens.json",  # of Gemini CLI and Qwen Code
        "login_history.json",  # of Claude.ai
        *("secrets.json", "cline_mcp_settings.json", "mcp_settings.json", "providers.json"),
        *("auth-profiles.json", "cli-config.json", "mcp.json", ".mcp.json"),
        *("mcp-config.json", "credentials.json", "creds.json"),  # of Copilot CLI and of gateways
        *("openclaw.json", "clawdbot.json", "moltbot.json", "exec-approvals.json", "device-auth.json"),  # of OpenClaw
        *("google_token.json", "google_client_secret.json", "google_oauth_pending.json"),  # of Hermes
        *("crush.json", ".crush.json"),
    }
)
# Of Hermes, requests with keys; of Copilot CLI.
_PRIVATE_NAMES: Final = re.compile(r"request_dump_.+\.json|.+\.tokens\.json")
# Folders of logins of Copilot CLI, OpenClaw and Hermes, also as zips.
_PRIVATE_FOLDERS: Final = frozenset({"credentials", "mcp-oauth-config", "mcp-tokens"})
# Names that say nothing by themselves, each with that of its folder.
_PRIVATE_PLACES: Final = frozenset(
    {
        *(("copilot", "config.json"), ("whatsapp", "session"), ("qwen", "settings.json")),
        ("continue", "config.json"),
        *(("identity", "device.json"), ("devices", "paired.json"), ("devices", "pending.json")),
    }
)
# In them agents keep sessions and logins: what is private there is so too if the user names a folder below.
_AGENTS_HOMES: Final = frozenset({".continue", ".copilot", ".openclaw", ".clawdbot", ".moltbot", ".hermes", ".qwen"})
# What ChatGPT and LM Studio name a file that was uploaded to a chat.
_UPLOAD: Final = re.compile(r"file[-_][A-Za-z0-9]{20,}|[0-9]{13} - [0-9]+\.[A-Za-z0-9]+$")
# Attachments, and pages for people. Archives, databases, lines of JSON and whatever is unknown are not among them.
_PICTURES: Final = frozenset(
    {"avif", "bmp", "gif", "heic", "heif", "ico", "jfif", "jpeg", "jpg", "png", "svg", "tif", "webp"}
)
_RECORDINGS: Final = frozenset({"aac", "flac", "m4a", "mp3", "mp4", "mov", "oga", "ogg", "opus", "wav", "weba", "webm"})
_DOCUMENTS: Final = frozenset(
    {"csv", "doc", "docx", "md", "odt", "pdf", "ppt", "pptx", "rtf", "tsv", "txt", "xls", "xlsx"}
)
_NO_CONVERSATIONS: Final = _PICTURES | _RECORDINGS | _DOCUMENTS | {"dat", "htm", "html", "index", "tiff"}


def is_upload(name: str) -> bool:
    """Tell whether a file has the name of an upload, or stands in a folder of Le Chat's uploads to one chat."""
    return _UPLOAD.match(PurePosixPath(name).name) is not None or bool(id_of_chat_file(name))


def private_part(name: str) -> str | None:
    """Return the part of a path in an export below which nothing is opened; None if there is none."""
    path = PurePosixPath(unpacked_name(name))
    for part in path.parts:
        if part.lower() in _PRIVATE or part.lower().startswith(_PORTAL_ADS):
            return part
    if path.name.lower() in _PRIVATE_FILES or _PRIVATE_NAMES.fullmatch(path.name.lower()):
        return path.name
    if (login := _login(path)) is not None:
        return login
    below = _below_portal(path)
    if below is not None and not below.lower().startswith((_PORTAL_CONVERSATIONS, _PORTAL_FILES)):
        return below
    return None


def below_agents_home(locator: str) -> str | None:
    """Return the path of a file from the folder on in which an agent keeps all it has; None if it is in none."""
    parts = PurePosixPath(locator).parts
    homes = [place for place, part in enumerate(parts[:-1]) if part.lower() in _AGENTS_HOMES]
    return "/".join(parts[homes[-1] :]) if homes else None


def is_file_store(name: str) -> bool:
    """Tell whether a path in an export is that of attached files, which may be of any type, or below it."""
    return any(part.lower().startswith(_PORTAL_FILES) for part in PurePosixPath(name).parts)


def is_log_of_runs(name: str) -> bool:
    """Tell whether a file has the name of a log that repeats a session for each of its runs."""
    return name.lower().endswith(_TRAJECTORIES)


def is_named_for_conversations(name: str) -> bool:
    """Tell whether a file has the name under which vendors export conversations, whole or in shards."""
    return PurePosixPath(name).name.lower().startswith("conversations")


def companion_kind(name: str) -> str | None:
    """Return what kind of companion a file of JSON is, by its path in the export; None if it is not known as one."""
    path = PurePosixPath(unpacked_name(name))
    stem = path.stem.lower()
    if is_named_for_conversations(name):
        return None
    if is_log_of_runs(name):
        return LOGS_OF_RUNS
    kind = _OF_AGENTS.get(path.name.lower()) or _first(_STEMS, stem) or _NAMES.get(_SHARD.sub("", stem))
    return kind or folder_kind(name) or _first(_PLACES, path.as_posix().lower())


def may_hold_conversations(name: str) -> bool:
    """Tell whether a file that is not JSON by its name could hold conversations."""
    path = PurePosixPath(name)
    if is_upload(name) or folder_kind(name) is not None:
        return False
    return path.suffix.lower().removeprefix(".") not in _NO_CONVERSATIONS


def folder_kind(name: str) -> str | None:
    """Return what kind of companion stands in the folder or zip of a file, by its path; None if that is not known."""
    path = PurePosixPath(name)
    if _ARTIFACTS.fullmatch(path.as_posix().lower()):
        return ARTIFACTS
    folders = (_SHARD.sub("", part.removesuffix(".zip")) for part in path.parts[:-1])
    return next((_FOLDERS[folder] for folder in folders if folder in _FOLDERS), None)


def _first(kinds: tuple[tuple[re.Pattern[str], str], ...], name: str) -> str | None:
    return next((kind for pattern, kind in kinds if pattern.fullmatch(name)), None)


def _below_portal(path: PurePosixPath) -> str | None:
    parts = [part.lower() for part in path.parts]
    place = parts.index(_PORTAL) + 1 if _PORTAL in parts else len(parts)
    return path.parts[place] if place < len(parts) else None


def _login(path: PurePosixPath) -> str | None:
    """Return the part of a path that is an agent's login, or a folder of them; None if there is none."""
    names = [part.lower().removesuffix(".zip").removeprefix(".") for part in path.parts]
    for part, name in zip(path.parts, names, strict=True):
        if name in _PRIVATE_FOLDERS:
            return part
    places = zip(path.parts[1:], pairwise(names), strict=True) if names else ()
    return next((part for part, place in places if place in _PRIVATE_PLACES), None)
