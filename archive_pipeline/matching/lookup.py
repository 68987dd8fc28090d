"""Look-ups by hash: each is one query on an index, whatever the size of the archive."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from archive_pipeline.derive.qa_pairs import call_arguments
from archive_pipeline.domain.batch import join_texts
from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.matching.results import MOST_ALTERNATIVES, KnownMessage, Level
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.staleness import DialogueRef
from archive_pipeline.text.sanitize import clean_text

RowT = TypeVar("RowT")

# The column of derived.message_contexts that holds the hash of each level.
_COLUMNS: Final[dict[Level, str]] = {
    "exact": "context_hash",
    "normalized": "normalized_hash",
    "prompts": "prompt_path_hash",
}
# What a message of a chat says by itself; all else that is read of one is media.
_SAID: Final = frozenset({"text", "tool_use"})


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A row of a look-up; its contents are read only if it is among the results."""

    message_id: str
    dialogue_id: str
    role: str
    model: str | None
    created_at: datetime | None
    context_hash: str
    normalized_hash: str
    prompt_hash: str | None
    response_hash: str | None
    path_hash: str | None
    level: Level


class Base(NamedTuple):
    """A message that a branch may hang on: a row of ``match_base``."""

    message_id: str
    message_source_id: str
    dialogue_id: str
    source: str
    source_id: str
    partition_key: str


class _Response(NamedTuple):
    """A row of ``match_responses`` or ``match_following``."""

    message_id: str
    dialogue_id: str
    role: str
    model: str | None
    created_at: datetime | None
    context_hash: str
    normalized_hash: str
    prompt_hash: str | None
    response_hash: str | None
    path_hash: str | None


class _Part(NamedTuple):
    """A row of ``match_contents``."""

    message_id: str
    part_type: str
    text_content: str | None
    tool_use_id: str | None
    tool_name: str | None
    tool_input: str | None


class _Context(NamedTuple):
    """A row of ``match_prefixes``."""

    context_hash: str


class _Message(NamedTuple):
    """A row of ``contexts_in_dialogue``."""

    message_id: str


def run(session: Session, name: str, parameters: dict[str, Any]) -> None:
    """Run a statement of ``sql/queries``; both PostgreSQL drivers take the same text."""
    session.connection().exec_driver_sql(load_query(name), parameters)


def run_all(session: Session, name: str, parameters: Sequence[Mapping[str, Any]]) -> None:
    """Run a statement of ``sql/queries`` once for each set of parameters, if there is one."""
    if parameters:
        session.connection().exec_driver_sql(load_query(name), list(parameters))


def fetch(session: Session, name: str, row: type[RowT], parameters: dict[str, Any], **names: str) -> list[RowT]:
    """Return the rows of a query of ``sql/queries``.

    Args:
        session: to the archive, with any PostgreSQL driver.
        name: of the query.
        row: a class whose fields are the columns of the query.
        parameters: of the query.
        names: what stands in the query in place of ``{name}``.
    """
    text = load_query(name)
    for placeholder, value in names.items():
        text = text.replace(f"{{{placeholder}}}", value)
    found = session.connection().exec_driver_sql(text, parameters)
    return [row(**columns) for columns in found.mappings()]


def dialogue_named(session: Session, key_or_id: str | UUID) -> str:
    """Return the id of the dialogue with a partition key or id.

    Raises:
        UnknownDialogueError: there is none.
    """
    name = str(key_or_id)
    if clean_text(name, Counter()) == name:  # PostgreSQL takes no other
        found = fetch(session, "raw/find_dialogue", DialogueRef, {"name": name, "id": as_uuid(name)})
        if found:
            return found[0].id
    raise UnknownDialogueError(f"no dialogue has the key or id {name!r}; `llm-archive list` shows what there is")


def bases_of(session: Session, context_hash: str, within: str | None = None) -> list[Base]:
    """Return the message with a context that branches hang on; none if it is gone."""
    return fetch(session, "match/match_base", Base, {"hash": context_hash, "dialogue_id": within})


def known_contexts(session: Session, context_hashes: Sequence[str], within: str | None = None) -> set[str]:
    """Return which of the contexts the archive, or one dialogue of it, has."""
    parameters = {"context_hashes": list(context_hashes), "dialogue_id": within}
    return {row.context_hash for row in fetch(session, "match/match_prefixes", _Context, parameters)}


def responses_to(
    session: Session, level: Level, prompt: str, model: str | None, within: str | None = None
) -> list[MatchRow]:
    """Return the responses to the prompt that has the given hash at a level, in the defined order."""
    parameters = {"hash": prompt, "model": model, "dialogue_id": within}
    rows = fetch(session, "match/match_responses", _Response, parameters, column=_COLUMNS[level])
    return [MatchRow(*row, level) for row in rows]


def responses_in_dialogue(
    session: Session, within: str, above: str | None, prompt: str, prompt_hash: str | None, model: str | None
) -> list[MatchRow]:
    """Return the responses of one dialogue at one place, in the defined order.

    Args:
        session: to the archive.
        within: the dialogue.
        above: context of the response before them; None for the first response of a path.
        prompt: context of what they answer.
        prompt_hash: of what they answer with the request's options; None for any options.
        model: whose responses come first.
    """
    parameters: dict[str, Any] = {
        "dialogue_id": within,
        "hash": prompt,
        "prompt_hash": prompt_hash,
        "model": model,
    }
    is_child = "response.parent_response_id IS NULL"
    if above is not None:
        found = fetch(session, "match/contexts_in_dialogue", _Message, {"hash": above, "dialogue_id": within})
        parameters["above"] = [row.message_id for row in found]
        is_child = "response.parent_response_id = ANY(%(above)s::uuid [])"
    rows = fetch(session, "match/responses_in_dialogue", _Response, parameters, is_child=is_child)
    return [MatchRow(*row, "exact") for row in rows]


def following(session: Session, context_hash: str, model: str | None, within: str | None = None) -> list[MatchRow]:
    """Return what follows a context in the archive, in the defined order."""
    parameters = {"hash": context_hash, "model": model, "most": MOST_ALTERNATIVES, "dialogue_id": within}
    return [MatchRow(*row, "exact") for row in fetch(session, "match/match_following", _Response, parameters)]


def with_contents(session: Session, found: Sequence[MatchRow]) -> tuple[KnownMessage, ...]:
    """Read the texts and tool calls of what was found."""
    if not found:
        return ()
    contents: defaultdict[str, list[_Part]] = defaultdict(list)
    parameters = {
        "dialogue_ids": sorted({item.dialogue_id for item in found}),
        "message_ids": [item.message_id for item in found],
    }
    for row in fetch(session, "match/match_contents", _Part, parameters):
        contents[row.message_id].append(row)
    return tuple(_known(item, contents[item.message_id]) for item in found)


def _known(item: MatchRow, parts: Sequence[_Part]) -> KnownMessage:
    return KnownMessage(
        message_id=item.message_id,
        dialogue_id=item.dialogue_id,
        role=item.role,
        content=join_texts(part.text_content for part in parts if part.part_type == "text" and part.text_content),
        tool_calls=tuple(_tool_calls(part for part in parts if part.part_type == "tool_use")),
        model=item.model,
        created_at=item.created_at,
        context_hash=item.context_hash,
        prompt_hash=item.prompt_hash,
        response_hash=item.response_hash,
        path_hash=item.path_hash,
        follows_level=item.level,
        has_media=any(part.part_type not in _SAID for part in parts),
    )


def _tool_calls(parts: Iterable[_Part]) -> Iterable[dict[str, Any]]:
    for part in parts:
        # As OpenAI has them: JSON text, also where they were stored as a text that is no JSON.
        arguments = call_arguments(part.tool_input, None)
        function = {"name": part.tool_name, "arguments": "{}" if arguments is None else arguments}
        yield {"id": part.tool_use_id, "type": "function", "function": function}
