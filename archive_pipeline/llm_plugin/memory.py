"""The archive of the environment, as the models of the plugin ask it."""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass
from typing import Final

import llm
import psycopg
import sqlalchemy.exc
from sqlalchemy.orm import Session

from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import ArchiveError
from archive_pipeline.llm_plugin.requests import KnowableRequest
from archive_pipeline.matching import KnownMessage
from archive_pipeline.matching.responding import answer_from_archive, store_answer
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate

NOT_STORED: Final = "the model's answer is not stored: %s"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recalled:
    """An answer of the archive.

    Attributes:
        text: the answer.
        place: where it is, and the hashes of the question: what ``llm logs --json`` shows of it.
    """

    text: str
    place: dict[str, str | None]


def recall(request: KnowableRequest, model_id: str) -> Recalled | None:
    """Return what the model answered before; None if the archive has no text of it.

    Raises:
        ArchiveError: the archive cannot be opened.
    """
    with Session(_database().engine) as session:
        reply = answer_from_archive(
            session, request.messages, model=model_id, options=request.options, door="llm", accept=_is_text
        )
    if reply is None:
        return None
    match = reply.match
    place = {
        "dialogue_id": match.dialogue_id,
        "message_id": match.response_id,
        "context_hash": match.context_hash,
        "path_hash": match.path_hash,
    }
    return Recalled(reply.message["content"], place)


def remember(request: KnowableRequest, answer: llm.Message, model_id: str) -> None:
    """Store what the model answered; a warning says why the archive cannot: the answer has been paid for."""
    try:
        with Session(_database().engine) as session:
            store_answer(session, request.messages, answer, model=model_id, options=request.options, door="llm")
    except (ArchiveError, psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        _log.warning(NOT_STORED, first_line(error))


def _is_text(known: KnownMessage) -> bool:
    return known.content is not None and not known.tool_calls


def _database() -> Database:
    settings = Settings.from_environment()
    url = settings.database_url
    return _opened(settings.home.as_posix(), None if url is None else url.get_secret_value())


@functools.cache
def _opened(_home: str, _url: str | None) -> Database:
    """Open and migrate the archive of the environment, once for each that a process has."""
    database = Database.open(Settings.from_environment())
    migrate(database)
    return database
