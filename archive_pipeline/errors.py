"""The errors this project raises on purpose. Each message is one line that says what to do.

A bad dialogue is not an error but data (a rejected record); these are for what stops a command or a whole file.
"""

from __future__ import annotations

__all__ = [
    "AmbiguousDialogueError",
    "AnswerError",
    "ArchiveError",
    "ConfigurationError",
    "DatabaseUnavailableError",
    "DatabaseVersionError",
    "DeletedDialogueError",
    "EmbeddingError",
    "ExecutorError",
    "ExportError",
    "InvalidMessagesError",
    "InvalidQueryError",
    "MissingExtraError",
    "NothingCanBeBuiltError",
    "QueryCancelledError",
    "QueryTimeoutError",
    "ReaderProcessError",
    "RerankerError",
    "TextsTooLargeError",
    "UnknownBranchError",
    "UnknownDialogueError",
    "UnknownDocumentError",
    "UnreadableDocumentError",
    "UnreadableInputError",
    "VectorStoreError",
    "VisualModelError",
    "WorkerLostError",
]


class ArchiveError(Exception):
    """Base of every error that a user is meant to read."""


class UnreadableInputError(ArchiveError):
    """A file or folder cannot be read as an export; the message names the file and, where known, the place in it."""


class ReaderProcessError(ArchiveError):
    """The process that reads files ahead of the import ended; what was committed stays, nothing is half-written."""


class ExecutorError(ArchiveError):
    """Chunks cannot be built where ``ARCHIVE_EXECUTOR`` says: it cannot be started, or does not fit the archive."""


class WorkerLostError(ArchiveError):
    """The process that built some dialogues ended, and so did the next one; the message names the dialogues."""


class DatabaseUnavailableError(ArchiveError):
    """PostgreSQL cannot be started, reached or used; nothing was half-written."""


class DatabaseVersionError(ArchiveError):
    """The server is older than the project supports, or the schema is newer than this code."""


class ConfigurationError(ArchiveError):
    """An environment variable or an option has a value that cannot be used."""


class UnknownDialogueError(ArchiveError):
    """No dialogue has the key or id that was asked for."""


class DeletedDialogueError(ArchiveError):
    """A dialogue was deleted for good, and is not stored again."""


class AmbiguousDialogueError(ArchiveError):
    """Several dialogues have the name that was asked for; the message lists them."""


class UnknownBranchError(ArchiveError):
    """A dialogue has no branch of the name that was asked for; the message lists its branches."""


class ExportError(ArchiveError):
    """An export cannot be written, or would not be what was asked for; nothing is left of it."""


class NothingCanBeBuiltError(ArchiveError):
    """Dialogue after dialogue failed and none could be built: the program or the database is broken, not they."""


class TextsTooLargeError(ArchiveError):
    """The texts that a dialogue's branches share would be repeated too often in derived rows."""


class InvalidMessagesError(ArchiveError):
    """A messages array cannot be read; the message names the place in it."""


class MissingExtraError(ArchiveError):
    """Something was asked for that an optional part of the installation does; the message has the command to get it."""


class EmbeddingError(ArchiveError):
    """An embedding model or endpoint cannot be used, or gave something else than vectors."""


class RerankerError(ArchiveError):
    """The model of search's second stage cannot be loaded, or gave something else than numbers."""


class AnswerError(ArchiveError):
    """A model that answers cannot be reached, refuses, or gave no whole answer."""


class VectorStoreError(ArchiveError):
    """The vector store cannot be opened or is not what PostgreSQL says; it can be made anew."""


class InvalidQueryError(ArchiveError, ValueError):
    """A query cannot be searched for."""


class QueryTimeoutError(ArchiveError):
    """A question took PostgreSQL longer than a user's question may."""


class QueryCancelledError(ArchiveError):
    """Whoever asked does not wait for the answer any more."""


class UnreadableDocumentError(ArchiveError):
    """A document cannot be read; the message names the file and says why."""


class UnknownDocumentError(ArchiveError):
    """No document has the id that was asked for."""


class VisualModelError(ArchiveError):
    """The model that reads page images cannot be loaded, or gave something else than vectors."""
