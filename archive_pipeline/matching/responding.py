"""Answering from the archive: what is known is returned, what is not is asked for, returned and stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.matching.asked import hash_conversation
from archive_pipeline.matching.creation import find_or_store
from archive_pipeline.matching.lookup import fetch
from archive_pipeline.matching.match_log import EntryPoint, Outcome, log_match
from archive_pipeline.matching.paths import look_up
from archive_pipeline.matching.results import KnownMessage, PathMatch

Messages = Sequence[object]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        message: an OpenAI chat message: the archive's, or what the call returned.
        from_archive: no call was made.
        match: the look-up, after storing what the call returned.
        not_stored: why what the call returned is not in the archive: it cannot be read, or its dialogue was
            deleted for good; None if it is there.
    """

    message: Any
    from_archive: bool
    match: PathMatch
    not_stored: str | None = None


def respond(
    session: Session,
    messages: Messages,
    *,
    call: Callable[[Messages], Any],
    model: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Reply:
    """Answer a messages array from the archive, or by ``call``, whose result is stored.

    Only an exact match answers, and where a model is named only one of its own responses; without options only
    responses to requests without deterministic ones. A response with pictures, recordings or files does not answer,
    since the archive's message would lack them.

    Args:
        session: on the archive's database. It is committed before and after the call, so that no lock is held while
            a model thinks.
        messages: the array.
        call: given the array, returns a text or an assistant's message. What it raises is the caller's, and nothing is
            stored; nor is a message that cannot be read, which is returned as it is (``Reply.not_stored``).
        model: that ``call`` asks.
        options: of the request.

    Raises:
        InvalidMessagesError: the messages or the options cannot be read, or ``call`` returned None.
    """
    reply = answer_from_archive(session, messages, model=model, options=options)
    return reply or store_answer(session, messages, call(messages), model=model, options=options)


async def respond_async(
    session: Session,
    messages: Messages,
    *,
    call: Callable[[Messages], Awaitable[Any]],
    model: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Reply:
    """Do what ``respond`` does with a ``call`` that is awaited; the database is asked in a thread."""
    reply = await asyncio.to_thread(answer_from_archive, session, messages, model=model, options=options)
    if reply is not None:
        return reply
    message = await call(messages)
    return await asyncio.to_thread(store_answer, session, messages, message, model=model, options=options)


def answer_from_archive(
    session: Session,
    messages: Messages,
    *,
    model: str | None,
    options: Mapping[str, Any] | None,
    door: EntryPoint = "respond",
    accept: Callable[[KnownMessage], bool] = lambda _: True,
) -> Reply | None:
    """Return and log what the archive answers, None if it has no answer; the session is committed.

    Args:
        session: on the archive's database.
        messages: as ``respond`` takes them.
        model: the same.
        options: the same.
        door: who asks, for the log.
        accept: tells which responses are an answer.
    """
    asked = hash_conversation(messages, options=options or {})
    match = look_up(session, asked, model)
    known = _reusable(session, match, model, accept)
    if known is not None:
        match = replace(match, response_id=known.message_id, dialogue_id=known.dialogue_id)
        log_match(session, door, asked, match, "found", model)
    session.commit()
    return None if known is None else Reply(known.as_message(), from_archive=True, match=match)


def store_answer(
    session: Session,
    messages: Messages,
    message: Any,
    *,
    model: str | None,
    options: Mapping[str, Any] | None,
    door: EntryPoint = "respond",
) -> Reply:
    """Store and log what a model answered, unless it cannot be read; the session is committed.

    Raises:
        InvalidMessagesError: the messages or the options cannot be read, or the answer is None.
    """
    if message is None:
        raise InvalidMessagesError("the response is None: there is nothing to store")
    try:
        result = find_or_store(session, messages, response=message, model=model, options=options or {})
    except InvalidMessagesError as error:
        asked = hash_conversation(messages, options=options or {})  # raises if it is the array that cannot be read
        match = replace(look_up(session, asked, model), hit=False, response_id=None)
        reply = Reply(message, from_archive=False, match=match, not_stored=str(error))
        outcome: Outcome = "generated_new"
        _log.warning("%s: the answer is returned and not stored: %s", door, error)
    else:
        asked, match, outcome = result.asked, result.match, result.outcome
        reply = Reply(
            _as_stored(match.response, message), from_archive=False, match=match, not_stored=result.not_stored
        )
    log_match(session, door, asked, match, outcome, model)
    session.commit()
    return reply


def _as_stored(known: KnownMessage | None, message: Any) -> Any:
    """Return an answer as the archive gives it the next time, unless that lacks something of it."""
    return message if known is None or known.has_media else known.as_message()


def _reusable(
    session: Session, match: PathMatch, model: str | None, accept: Callable[[KnownMessage], bool]
) -> KnownMessage | None:
    if not match.hit or match.level != "exact":
        return None
    fitting = (known for known in match.responses if accept(known) and not known.has_media)
    return next((known for known in fitting if model is None or _is_by(session, known, model)), None)


class _Returned(NamedTuple):
    """The row of ``model_gave_response``."""

    times: int


def _is_by(session: Session, known: KnownMessage, model: str) -> bool:
    """Tell whether the model wrote the response, or returned it under another name, such as that of a version."""
    if known.model == model:
        return True
    parameters = {"model": model, "response_message_id": known.message_id}
    return any(row.times for row in fetch(session, "match/model_gave_response", _Returned, parameters))
