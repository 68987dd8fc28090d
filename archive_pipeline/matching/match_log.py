"""The log of what was asked: each look-up is a row and a line, so that reuse can be counted and traced (seed 003)."""

from __future__ import annotations

import logging
from typing import Literal

from sqlalchemy.orm import Session

from archive_pipeline.matching.asked import HashedConversation
from archive_pipeline.matching.lookup import run
from archive_pipeline.matching.results import PathMatch

EntryPoint = Literal["find_path", "find_or_create", "respond", "llm"]
Outcome = Literal["found", "generated_equal", "generated_new", "missed"]

_log = logging.getLogger(__name__)


def log_match(
    session: Session,
    door: EntryPoint,
    asked: HashedConversation,
    match: PathMatch,
    outcome: Outcome,
    model: str | None,
) -> None:
    """Record a look-up and what became of it, in the caller's transaction.

    Args:
        session: on the archive's database.
        door: who asked.
        asked: what was asked for.
        match: what was found, or stored.
        outcome: ``found``: the archive answered; ``generated_equal``, ``generated_new``: somebody else did, with what
            the archive had, of whichever model, or had not; ``missed``: nobody did.
        model: that was asked for.
    """
    row = {
        "door": door,
        "context_hash": asked.context_hash,
        "path_hash": asked.path_hash,
        "level": match.level,
        "outcome": outcome,
        "is_hit": match.hit,
        "is_created": match.created,
        "matched": match.matched,
        "length": match.length,
        "model": model,
        "response_message_id": match.response_id,
    }
    run(session, "match/log_match", row)
    hashes = (asked.context_hash, asked.path_hash)
    _log.info("%s: %s, context %s, path %s, response %s", door, outcome, *hashes, match.response_id)
