"""What is found at a path: a file to read, one that is left out, or a record of why it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.companions import (
    FILES,
    LOGS_OF_RUNS,
    below_agents_home,
    folder_kind,
    is_file_store,
    is_log_of_runs,
    is_upload,
    may_hold_conversations,
    private_part,
)
from archive_pipeline.readers.compressed import unpacked_name

# What is opened in folders and zips; a file that the user names is, whatever its name.
DATABASE_SUFFIXES: Final = frozenset({".db", ".sqlite", ".sqlite3", ".vscdb"})
PARQUET_SUFFIX: Final = ".parquet"
READ_SUFFIXES: Final = frozenset({".json", ".jsonl", PARQUET_SUFFIX, ".zip"}) | DATABASE_SUFFIXES
# In it AI Studio keeps prompts on Google Drive, whose names have no suffix, beside the files that it was given.
_FOLDER_OF_PROMPTS: Final = "Google AI Studio"
# A conversation of the Gemini app, of Takeout.
_CONVERSATION: Final = re.compile(r"conversation_\d+\.txt", re.IGNORECASE)
# Takeout's default of the Gemini app's activity: this name, which other products have too, or that of another language
# in a folder with the product's name.
_ACTIVITY_PAGE: Final = "myactivity.html"
_PAGE_SUFFIX: Final = ".html"
# What Microsoft's privacy dashboard exports of Copilot; a browser numbers further copies.
_TABLE: Final = re.compile(
    r"(?:windows-apps-)?copilot-(?:[a-z0-9-]+-)?activity(?:-history)?(?: ?\([0-9]+\))?\.csv", re.IGNORECASE
)
TABLE_SUFFIX: Final = ".csv"
_NAMES_GEMINI: Final = re.compile(r"\b(?:gemini|bard)\b", re.IGNORECASE)
# What OpenCode before 1.2 wrote of a session: a file for each message, and for each part of one.
_PIECE: Final = re.compile(
    r"(?:.*/)?(?:(?:(?:session|message|part)/[^/]+|todo|session_diff|session_share)/(?:ses|msg|prt)_[0-9A-Za-z]+"
    r"|storage/(?:project|permission)/(?:[0-9a-f]{40}|global))\.json"
)
_IN_PIECES: Final = (
    "pieces of sessions of OpenCode before 1.2, which are not read: later versions copy them into opencode.db when "
    "they start; import that, or what `opencode export` writes"
)
# What Copilot CLI before 0.0.342 wrote: a file for each session.
_EARLY_SESSION: Final = re.compile(r"(?:.*/)?history-session-state/session_[0-9a-f-]+_[0-9]+\.json")
_WRITTEN_ANEW: Final = (
    "a session of Copilot CLI before 0.0.342, which is not read: later versions write it to session-state when you "
    "resume it (`copilot --resume`); import that"
)
_UNREAD: Final = ((_PIECE, _IN_PIECES), (_EARLY_SESSION, _WRITTEN_ANEW))
# What a program that has a database open keeps beside it; read with the database.
_LOG_SUFFIXES: Final = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that may hold conversations.

    Attributes:
        path: the file on disk; for a member of a zip, the zip.
        locator: its name for people: the path, or ``export.zip/conversations.json``.
        size: bytes to read (unpacked).
        opener: opens it.
        is_named: True if the user named this very file, not a folder or zip around it.
        member: name inside the zip, None outside.
        companion: what it is beside the conversations, by its name; None if the name does not tell.
    """

    path: Path
    locator: str
    size: int
    opener: Callable[[], BinaryIO] = field(repr=False, compare=False)
    is_named: bool = False
    member: str | None = None
    companion: str | None = None

    def open(self) -> BinaryIO:
        """Opens the file at its start; may raise ``OSError`` or ``UnreadableInputError``."""
        return self.opener()


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is left out on purpose, and why.

    Attributes:
        locator: its name for people.
        reason: why.
        may_hold_conversations: nobody knows what is inside, so an export that has it was not read whole.
        kind: what kind of companion of an export it is; None if it is none.
    """

    locator: str
    reason: str
    may_hold_conversations: bool = False
    kind: str | None = None


def open_plain(path: Path) -> BinaryIO:
    """Opens a file on disk."""
    return path.open("rb")


Found = SourceFile | SkippedFile | RejectedRecord


def companion(locator: str, kind: str) -> SkippedFile:
    """Returns a companion of an export that is left out."""
    return SkippedFile(locator, f"a companion of the export: {kind}", kind=kind)


def is_opened(name: str, locator: str) -> bool:
    """Tells whether a file of a folder or zip is opened, by its path in it and its name for people.

    A prompt's title may end as a suffix does.
    """
    is_prompt = PurePosixPath(locator).parent.name == _FOLDER_OF_PROMPTS and may_hold_conversations(name)
    suffix = PurePosixPath(unpacked_name(name)).suffix.lower()
    is_conversation = any(pattern.fullmatch(PurePosixPath(name).name) for pattern in (_CONVERSATION, _TABLE))
    return is_prompt or is_conversation or _may_be_activity(PurePosixPath(locator)) or suffix in READ_SUFFIXES


def _may_be_activity(path: PurePosixPath) -> bool:
    """Tells whether a file may be a page of the Gemini app's activity; its beginning tells it from others."""
    name = path.name.lower()
    return name == _ACTIVITY_PAGE or (name.endswith(_PAGE_SUFFIX) and bool(_NAMES_GEMINI.search(path.parent.name)))


def left_out(name: str, locator: str) -> SkippedFile | None:
    """Returns a file of a folder or zip that is not read, judged by its path in it; None if it is.

    A zip is read if nothing else speaks against it.
    """
    if (private := left_closed(name, locator)) is not None:
        return private
    if is_file_store(name) or is_upload(name):
        return companion(locator, FILES)
    if is_log_of_runs(name):
        return companion(locator, LOGS_OF_RUNS)
    place = PurePosixPath(locator).as_posix()
    unread = next((reason for pattern, reason in _UNREAD if pattern.fullmatch(place)), None)
    if unread is not None:
        return SkippedFile(locator, unread, may_hold_conversations=True)
    return None if is_opened(name, locator) else _of_unread_type(name, locator)


def _of_unread_type(name: str, locator: str) -> SkippedFile:
    suffix = PurePosixPath(name).suffix.lower()
    if (kind := folder_kind(name)) is not None:
        return companion(locator, kind)
    if any(suffix.removesuffix(log) in DATABASE_SUFFIXES for log in _LOG_SUFFIXES):
        return _log_of_database(locator)
    reason = f"not JSON ({suffix or 'no suffix'})"
    return SkippedFile(locator, reason, may_hold_conversations=may_hold_conversations(name))


def _log_of_database(locator: str) -> SkippedFile:
    """Returns what stands beside a database that is open; on disk it is read with it, in a zip it cannot be."""
    if not any(map(is_container, PurePosixPath(locator).parts[:-1])):
        return SkippedFile(locator, "read with the database of its name")
    reason = "the newest rows of a database, which are not read in a zip: unpack it and import the folder"
    return SkippedFile(locator, reason, may_hold_conversations=True)


def left_closed(name: str, locator: str) -> SkippedFile | None:
    """Returns a file of a folder or zip that is private, judged by its path in it; None if it is not."""
    # A user who stands in an agent's home names it by no more than a dot.
    private = private_part(name) or private_part(below_agents_home(Path(locator).absolute().as_posix()) or "")
    return None if private is None else SkippedFile(locator, f"private and never opened: {private}")


@dataclass(frozen=True, slots=True)
class Selection:
    """What is looked for in folders and zips.

    Attributes:
        leave_out: tells of a file, by its path in the export and its name for people, whether it is left out.
        is_read_later: files are opened when all are known. Else each is opened, if at all, before the next one is asked
            for: no zip stays open for members that nobody wants.
        follows_links: links to files are read as what they lead to.
    """

    leave_out: Callable[[str, str], SkippedFile | None]
    is_read_later: bool
    follows_links: bool


CONVERSATIONS = Selection(left_out, is_read_later=True, follows_links=True)
# A link in somebody's folder may lead to what is no part of an export, and a copy would be kept of it.
ATTACHED_FILES = Selection(left_closed, is_read_later=False, follows_links=False)


FIRST_PART: Final = ".zip.001"  # of a zip that a program cut into pieces; the others have no beginning


def is_container(name: str) -> bool:
    """Tells by its name whether a file is a part of an export; a zip that was uploaded to a chat is a file of it."""
    return name.lower().endswith((".zip", FIRST_PART)) and not is_upload(name)


def is_passed_over(part: str) -> bool:
    """Tells whether a file or folder of this name is hidden, or one in which macOS keeps what it knows of others."""
    return part == "__MACOSX" or (part.startswith(".") and part not in (".", ".."))


def rejected(locator: str, reason: str, error: BaseException | None = None) -> RejectedRecord:
    """Returns the record of a file that cannot be read."""
    technical = f"{type(error).__name__}: {error}" if error else ""
    return RejectedRecord(locator=locator, reason=f"{locator} {reason}", error=technical, whole_file=True)
