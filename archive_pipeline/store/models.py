"""ORM classes for those who read an archive by a SQLAlchemy session, mapped on the declared tables (seeds 000, 001).

Columns are those of the tables (docs/tables.md), ids are strings. Relationships are for reading: rows are written in
bulk, by other code. Views that the seeds have as tables are mapped by their keys; a test compares them with the
database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Column, Integer, MetaData, Table, Uuid, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import column_property, foreign, registry, relationship

from archive_pipeline.store.tables.base import DERIVED, metadata
from archive_pipeline.store.tables.exchanges import (
    exchange_content,
    exchanges,
    prompt_response_content,
    prompt_responses,
)
from archive_pipeline.store.tables.hashes import content_hashes, message_contexts, response_hashes
from archive_pipeline.store.tables.pairs import message_chunks, qa_chunks, qa_pairs
from archive_pipeline.store.tables.raw import attachments, content_parts, dialogues, messages
from archive_pipeline.store.tables.trees import dialogue_pages, dialogue_trees, linear_sequences, message_paths

_UUID: Final = Uuid(as_uuid=False)
VIEWS: Final = MetaData()


def _view(name: str, *keys: str, **columns: Any) -> Table:
    own = [Column(key, _UUID, primary_key=True) for key in keys]
    return Table(name, VIEWS, *own, *(Column(key, kind) for key, kind in columns.items()), schema=DERIVED)


_sequence_messages: Final = _view("sequence_messages", "sequence_id", "message_id", position=Integer())
_sequence_exchanges: Final = _view("sequence_exchanges", "sequence_id", "exchange_id", position=Integer())
_exchange_messages: Final = _view("exchange_messages", "exchange_id", "message_id", position=Integer())
_paths_with_ancestors: Final = _view("message_paths_v", "message_id", ancestor_path=ARRAY(_UUID))


class _Mapped(type):
    """Type checkers do not know the columns of a mapped class."""

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any: ...


class _Row(metaclass=_Mapped):
    """A row; its attributes are the columns."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class Dialogue(_Row):
    """A conversation (``raw.dialogues``); ``messages`` by number, ``tree``."""


class Message(_Row):
    """A message (``raw.messages``); ``dialogue``, ``content_parts``, ``attachments``, ``path``."""


class ContentPart(_Row):
    """A part of a message's content (``raw.content_parts``)."""


class Attachment(_Row):
    """A file that came with a message (``raw.attachments``)."""


class DialogueTree(_Row):
    """The shape of a dialogue's tree (``derived.dialogue_trees``)."""


class MessagePath(_Row):
    """Where a message is in the tree (``derived.message_paths``); ``ancestor_path`` is read when it is asked for."""


class LinearSequence(_Row):
    """A root-to-leaf path (``derived.linear_sequences``); ``sequence_messages`` and ``sequence_exchanges`` in order."""


class SequenceMessage(_Row):
    """A message's place in a sequence (view ``derived.sequence_messages``); ``message``."""


class Exchange(_Row):
    """What a user said and the answers (``derived.exchanges``); ``content``, ``exchange_messages`` in order."""


class ExchangeMessage(_Row):
    """A message's place in an exchange (view ``derived.exchange_messages``); ``message``."""


class ExchangeContent(_Row):
    """The texts of an exchange (``derived.exchange_content``)."""


class SequenceExchange(_Row):
    """An exchange's place in a sequence (view ``derived.sequence_exchanges``); ``exchange``."""


class ContentHash(_Row):
    """A hash of a message's or an exchange's text (``derived.content_hashes``)."""


class PromptResponse(_Row):
    """A prompt with a response (``derived.prompt_responses``); ``content``, ``prompt``, ``response``."""


class PromptResponseContent(_Row):
    """The texts of a prompt-response pair (``derived.prompt_response_content``)."""


class ResponseHash(_Row):
    """What a response answers and where, by content (``derived.response_hashes``)."""


class MessageContext(_Row):
    """The hash of all messages on the way to a message (``derived.message_contexts``)."""


class DialoguePage(_Row):
    """A page of a dialogue (``derived.dialogue_pages``)."""


class QuestionAnswer(_Row):
    """A question-answer pair (``derived.qa_pairs``); ``chunks`` in order."""


class QuestionAnswerChunk(_Row):
    """A piece of a pair that is embedded and searched (``derived.qa_chunks``)."""


class MessageChunk(_Row):
    """A piece of what a message says in no pair, which is embedded and searched (``derived.message_chunks``)."""


def _related(target: type[_Row], key: Any, to: Any, *, order_by: Any = None, many: bool = False) -> Any:
    """Return a relationship for reading, to the rows whose column ``to`` has the value of ``key``, or to the one."""
    return relationship(target, primaryjoin=key == foreign(to), order_by=order_by, uselist=many, viewonly=True)


def _owner(target: type[_Row], key: Any, to: Any) -> Any:
    """Return a relationship for reading, to the one row that a row belongs to."""
    return relationship(target, primaryjoin=foreign(key) == to, uselist=False, viewonly=True)


def _ancestor_path() -> Any:
    found = select(_paths_with_ancestors.c.ancestor_path).where(
        _paths_with_ancestors.c.message_id == message_paths.c.message_id
    )
    return column_property(found.scalar_subquery(), deferred=True)


# class -> its table or view, and what else its objects have.
_MAPPED: Final[dict[type[_Row], tuple[Table, dict[str, Any]]]] = {
    Dialogue: (
        dialogues,
        {
            "messages": _related(
                Message, dialogues.c.id, messages.c.dialogue_id, order_by=messages.c.sequence_number, many=True
            ),
            "tree": _related(DialogueTree, dialogues.c.id, dialogue_trees.c.dialogue_id),
        },
    ),
    Message: (
        messages,
        {
            "dialogue": _owner(Dialogue, messages.c.dialogue_id, dialogues.c.id),
            "content_parts": _related(
                ContentPart, messages.c.id, content_parts.c.message_id, order_by=content_parts.c.sequence, many=True
            ),
            "attachments": _related(
                Attachment, messages.c.id, attachments.c.message_id, order_by=attachments.c.sequence, many=True
            ),
            "path": _related(MessagePath, messages.c.id, message_paths.c.message_id),
        },
    ),
    ContentPart: (content_parts, {}),
    Attachment: (attachments, {}),
    DialogueTree: (dialogue_trees, {}),
    MessagePath: (message_paths, {"ancestor_path": _ancestor_path()}),
    LinearSequence: (
        linear_sequences,
        {
            "sequence_messages": _related(
                SequenceMessage,
                linear_sequences.c.id,
                _sequence_messages.c.sequence_id,
                order_by=_sequence_messages.c.position,
                many=True,
            ),
            "sequence_exchanges": _related(
                SequenceExchange,
                linear_sequences.c.id,
                _sequence_exchanges.c.sequence_id,
                order_by=_sequence_exchanges.c.position,
                many=True,
            ),
        },
    ),
    SequenceMessage: (
        _sequence_messages,
        {"message": _owner(Message, _sequence_messages.c.message_id, messages.c.id)},
    ),
    Exchange: (
        exchanges,
        {
            "content": _related(ExchangeContent, exchanges.c.id, exchange_content.c.exchange_id),
            "exchange_messages": _related(
                ExchangeMessage,
                exchanges.c.id,
                _exchange_messages.c.exchange_id,
                order_by=_exchange_messages.c.position,
                many=True,
            ),
        },
    ),
    ExchangeMessage: (
        _exchange_messages,
        {"message": _owner(Message, _exchange_messages.c.message_id, messages.c.id)},
    ),
    ExchangeContent: (exchange_content, {}),
    SequenceExchange: (
        _sequence_exchanges,
        {"exchange": _owner(Exchange, _sequence_exchanges.c.exchange_id, exchanges.c.id)},
    ),
    ContentHash: (content_hashes, {}),
    PromptResponse: (
        prompt_responses,
        {
            "content": _related(
                PromptResponseContent, prompt_responses.c.id, prompt_response_content.c.prompt_response_id
            ),
            "prompt": _owner(Message, prompt_responses.c.prompt_message_id, messages.c.id),
            "response": _owner(Message, prompt_responses.c.response_message_id, messages.c.id),
        },
    ),
    PromptResponseContent: (prompt_response_content, {}),
    ResponseHash: (response_hashes, {}),
    MessageContext: (message_contexts, {}),
    DialoguePage: (dialogue_pages, {}),
    QuestionAnswer: (
        qa_pairs,
        {
            "chunks": _related(
                QuestionAnswerChunk,
                qa_pairs.c.pair_id,
                qa_chunks.c.pair_id,
                order_by=(qa_chunks.c.side.desc(), qa_chunks.c.chunk_index),
                many=True,
            )
        },
    ),
    QuestionAnswerChunk: (qa_chunks, {}),
    MessageChunk: (message_chunks, {"message": _owner(Message, message_chunks.c.message_id, messages.c.id)}),
}

_registry: Final = registry(metadata=metadata)
for _class, (_table, _properties) in _MAPPED.items():
    _registry.map_imperatively(_class, _table, properties=_properties)
