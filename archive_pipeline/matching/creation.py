"""``find_or_create_from_messages``: what the archive lacks of a messages array is stored as a branch (seed 003).

Ids of what is stored follow from content: two clients that store the same path at once store the same rows, one after
the other. Everything happens in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from archive_pipeline.errors import DeletedDialogueError
from archive_pipeline.matching import lookup, storing
from archive_pipeline.matching.asked import AskedMessage, HashedConversation, hash_conversation
from archive_pipeline.matching.match_log import Outcome, log_match
from archive_pipeline.matching.paths import look_up
from archive_pipeline.matching.results import PathMatch
from archive_pipeline.matching.storing import AttachPoint
from archive_pipeline.store import locks

_TITLE_CHARACTERS: Final = 80
# Of the hash that a dialogue is named by: 128 bits.
_ID_CHARACTERS: Final = 32


def find_or_create_from_messages(
    session: Session,
    messages: Sequence[object],
    *,
    response: object = None,
    model: str | None = None,
    options: Mapping[str, Any] | None = None,
    conversation_id: str | UUID | None = None,
) -> PathMatch:
    """Say where a messages array is in the archive, after storing what of it was not there.

    A response that is known is a hit and stores nothing; one that differs, or that another model gave, is stored beside
    the known ones. Without a response an array is stored as far as it goes. What is stored hangs on the longest
    beginning that is known, in the dialogue that has it, if that beginning includes more than system messages;
    otherwise it is a dialogue of source ``api``. Derived tables are stale then, but for the hashes by which the path is
    found again.

    A dialogue of source ``api`` that was deleted for good is not begun again: nothing is stored and ``created`` is
    False.

    Args:
        session: on the archive's database; the caller commits. Until then others who store the same beginning wait.
        messages: as ``find_path`` takes them.
        response: what answers the messages: a text or an assistant's message.
        model: that wrote the response; None for a response of whichever model.
        options: of the request; deterministic ones tell responses apart.
        conversation_id: id or partition key of the only dialogue to look in and to store in; None for whichever fits.

    Raises:
        InvalidMessagesError: messages, response or options cannot be read.
        UnknownDialogueError: there is no such dialogue.
    """
    within = None if conversation_id is None else lookup.dialogue_named(session, conversation_id)
    result = find_or_store(session, messages, response=response, model=model, options=options, within=within)
    log_match(session, "find_or_create", result.asked, result.match, result.outcome, model)
    return result.match


class Stored(NamedTuple):
    """What became of an array: where it is now, the array, whether its answer was there, and why it is not stored."""

    match: PathMatch
    asked: HashedConversation
    outcome: Outcome
    not_stored: str | None = None


def find_or_store(
    session: Session,
    messages: Sequence[object],
    *,
    response: object,
    model: str | None,
    options: Mapping[str, Any] | None,
    within: str | None = None,
) -> Stored:
    """Do what ``find_or_create_from_messages`` says, without logging it."""
    asked = hash_conversation(messages, response=response, model=model, options=options)
    beginning = next((message for message in asked.messages if message.record.role != "system"), asked.messages[-1])
    locks.hold_in_transaction(session.connection(), locks.API_BEGINNING, beginning.context_hash)
    writer = model if asked.response is None else asked.response.record.model or model
    match = look_up(session, asked, writer, within)
    outcome = _outcome(asked, match)
    if _is_known(asked, match, writer):
        return Stored(match, asked, outcome)
    try:
        stored = _store(session, asked, beginning, writer, within)
    except DeletedDialogueError as error:
        return Stored(replace(match, hit=False, response_id=None), asked, outcome, not_stored=str(error))
    now = look_up(session, asked, writer, within)
    match = replace(
        match,
        hit=False,
        created=True,
        dialogue_id=stored.dialogue_id,
        response_id=stored.message_id if asked.names_response else None,
        responses=now.responses,
    )
    return Stored(match, asked, outcome)


def _outcome(asked: HashedConversation, match: PathMatch) -> Outcome:
    """Return what becomes of an array, given what was known before anything is stored."""
    if not asked.names_response:
        return "found" if match.hit else "missed"
    return "generated_equal" if match.hit and match.level == "exact" else "generated_new"


def _is_known(asked: HashedConversation, match: PathMatch, writer: str | None) -> bool:
    """Tell whether there is nothing to store; the same answer of another model is another response."""
    if not asked.names_response:
        return match.matched == match.length
    same = (known for known in match.responses if known.context_hash == asked.context_hash)
    return match.level == "exact" and any(writer in {None, known.model} for known in same)


def _store(
    session: Session, asked: HashedConversation, beginning: AskedMessage, model: str | None, within: str | None
) -> AttachPoint:
    """Store what the archive does not have of the array; return where its last message is."""
    known = lookup.known_contexts(session, [message.context_hash for message in asked.messages], within)
    first_new = next(
        (place for place, message in enumerate(asked.messages) if message.context_hash not in known),
        len(asked.messages) - 1,  # a known answer, of another model or to a request with other options
    )
    base = None
    # System messages alone say nothing of which dialogue it is.
    if first_new > (asked.messages.index(beginning) if within is None else 0):
        base = storing.base_of(session, asked.messages[first_new - 1].context_hash, within)
    if base is None:
        first_new = 0
        base = _new_root(session, beginning, within)
    stored = storing.append_branch(session, base, asked.messages[first_new:], options=asked.options, model=model)
    # The dialogue may have been deleted since it was looked for: then another one has the beginning, or none.
    return stored or _store(session, asked, beginning, model, within)


def _new_root(session: Session, beginning: AskedMessage, within: str | None) -> AttachPoint:
    if within is not None:
        return storing.beginning_of(session, within)
    return storing.begin_dialogue(session, beginning.context_hash[:_ID_CHARACTERS], _title(beginning))


def _title(beginning: AskedMessage) -> str | None:
    texts = (part.text for part in beginning.record.parts if part.text)
    line = next((line.strip() for text in texts for line in text.splitlines() if line.strip()), None)
    if line is None or len(line) <= _TITLE_CHARACTERS:
        return line
    return f"{line[: _TITLE_CHARACTERS - 1].rstrip()}…"
