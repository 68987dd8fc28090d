"""``find_path``: where a messages array is in the archive, at three levels (seed 003).

The seed's own algorithm walks pairs of prompts and responses and does not run as meant (decision on matching). Here the
whole way to a message is one hash, so that the array, each of its beginnings, and what answers it are look-ups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy.orm import Session

from archive_pipeline.errors import InvalidMessagesError
from archive_pipeline.matching import lookup
from archive_pipeline.matching.asked import AskedMessage, HashedConversation, hash_conversation
from archive_pipeline.matching.lookup import MatchRow
from archive_pipeline.matching.match_log import log_match
from archive_pipeline.matching.results import Level, PathMatch
from archive_pipeline.text.sanitize import clean_text

# From the same to the least alike.
LEVELS: Final[tuple[Level, ...]] = ("exact", "normalized", "prompts")


def find_path(
    session: Session,
    messages: Sequence[object],
    *,
    model: str | None = None,
    options: Mapping[str, Any] | None = None,
    conversation_id: str | UUID | None = None,
) -> PathMatch:
    """Say where a messages array is in the archive, and log that it was asked.

    Args:
        session: on the archive's database; what is logged is committed by the caller.
        messages: OpenAI chat messages, Anthropic messages, or the project's own (see ``read_chat_messages``).
        model: whose responses come first; those of other models are known all the same.
        options: of the request. None takes responses to any; others only those with the same deterministic options.
        conversation_id: id or partition key of the only dialogue to look in; None for the whole archive.

    Raises:
        InvalidMessagesError: the messages or options cannot be read.
        UnknownDialogueError: there is no such dialogue.
    """
    asked = hash_conversation(messages, options=options)
    within = None if conversation_id is None else lookup.dialogue_named(session, conversation_id)
    match = look_up(session, asked, model, within)
    log_match(session, "find_path", asked, match, "found" if match.hit else "missed", model)
    return match


def look_up(session: Session, asked: HashedConversation, model: str | None, within: str | None = None) -> PathMatch:
    """Return where a hashed messages array is, in the archive or within one dialogue; nothing is written.

    Raises:
        InvalidMessagesError: the model's name is no text, or in none.
    """
    if not isinstance(model, str | None):
        raise InvalidMessagesError(f"the model's name is a {type(model).__name__}, not text")
    if model is not None and clean_text(model, Counter()) != model:
        raise InvalidMessagesError("the model's name has a lone surrogate or NUL, which are in no text")
    known = lookup.known_contexts(session, [message.context_hash for message in asked.messages], within)
    matched = _matched(asked, known)
    level, responses = _responses(session, asked, model, within)
    named = _named(asked, level, responses)
    if asked.response is not None and named:
        responses = named
    chosen = named[0] if named else None
    last = asked.messages[matched - 1] if matched else None
    alternatives: list[MatchRow] = []
    if last is not None and matched < len(asked.messages):
        alternatives = lookup.following(session, last.context_hash, model, within)
    return PathMatch(
        hit=chosen is not None,
        created=False,
        level=level or ("exact" if matched == len(asked.messages) else None),
        matched=_matched_of_array(asked, matched),
        length=asked.length,
        dialogue_id=chosen.dialogue_id if chosen else _dialogue_of(session, last, responses, within),
        response_id=chosen.message_id if chosen else None,
        responses=lookup.with_contents(session, responses),
        alternatives=lookup.with_contents(session, alternatives),
        ignored=asked.ignored,
        context_hash=asked.context_hash,
        path_hash=asked.path_hash,
    )


def _matched(asked: HashedConversation, known: set[str]) -> int:
    """Return how many messages with content are known from the beginning: each context includes all before it."""
    return next(
        (count for count, message in enumerate(asked.messages) if message.context_hash not in known),
        len(asked.messages),
    )


def _matched_of_array(asked: HashedConversation, matched: int) -> int:
    """Return the same in messages of the array; one of several records counts when all of them are known."""
    return asked.length if matched == len(asked.messages) else min(asked.messages[matched].index, asked.length)


def _responses(
    session: Session, asked: HashedConversation, model: str | None, within: str | None
) -> tuple[Level | None, list[MatchRow]]:
    """Return the best level at which responses to the array are known, and these."""
    if not asked.prompts:
        return None, []
    prompt = asked.prompts[-1]
    hashes = {"exact": prompt.context_hash, "normalized": prompt.normalized_hash, "prompts": prompt.prompts_hash}
    for level in LEVELS:
        value = hashes[level]
        found: list[MatchRow] = []
        if level == "exact" and within is not None:
            found = _children(session, asked, model, within)
        elif value is not None:
            found = lookup.responses_to(session, level, value, model, within)
        if asked.options is not None:
            found = [item for item in found if item.prompt_hash == asked.prompt_hash]
        if found and (level == "prompts" or _fits(asked, level, found)):
            return level, found
    return None, []


def _children(session: Session, asked: HashedConversation, model: str | None, within: str) -> list[MatchRow]:
    """Return the responses of one dialogue at the place that the array leads to, as seed 003 looks for them."""
    above, prompt = asked.response_above, asked.prompts[-1].context_hash
    prompt_hash = None if asked.options is None else asked.prompt_hash
    place = None if above is None else above.context_hash
    return lookup.responses_in_dialogue(session, within, place, prompt, prompt_hash, model)


def _fits(asked: HashedConversation, level: Level, found: Sequence[MatchRow]) -> bool:
    return asked.response is None or any(_is_named(asked, level, item) for item in found)


def _is_named(asked: HashedConversation, level: Level, item: MatchRow) -> bool:
    """Tell whether a response is the one that the array ends with."""
    if asked.response is None:
        return False
    if level == "exact":
        return item.context_hash == asked.response.context_hash
    return level == "normalized" and item.normalized_hash == asked.response.normalized_hash


def _named(asked: HashedConversation, level: Level | None, responses: Sequence[MatchRow]) -> list[MatchRow]:
    """Return the responses that answer the array: none where the archive's answers on the way are others."""
    if level is None or level == "prompts":
        return []
    return [item for item in responses if asked.response is None or _is_named(asked, level, item)]


def _dialogue_of(
    session: Session, last: AskedMessage | None, responses: Sequence[MatchRow], within: str | None
) -> str | None:
    """Return the dialogue of the last known message, else of a response to the same prompts."""
    found = [] if last is None else [base.dialogue_id for base in lookup.bases_of(session, last.context_hash, within)]
    found += [response.dialogue_id for response in responses]
    return found[0] if found else None
