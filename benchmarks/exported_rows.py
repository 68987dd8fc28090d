"""What each format of an export is made of, as ``COPY TO`` statements: its tables, its columns, in its order.

Rows come dialogue by dialogue, message by message, part by part, as the exported files have them. What an export
computes (trees, turns) is not in them.
"""

from __future__ import annotations

from typing import Final

_LIVE: Final = "raw.messages AS message WHERE message.deleted_at IS NULL"
_OWN: Final = "INNER JOIN raw.messages AS message ON piece.message_id = message.id AND message.deleted_at IS NULL"
_MESSAGES: Final = "ORDER BY message.dialogue_id, message.created_at NULLS FIRST, message.sequence_number"
_PIECES: Final = f"{_MESSAGES}, piece.sequence"
_PLACE: Final = "message.id, message.dialogue_id, message.parent_id, message.role, message.state, message.is_hidden"
_CALL: Final = (
    "piece.message_id, piece.part_type, piece.text_content, piece.tool_name, piece.tool_use_id, piece.tool_input"
)
# As `messages.text` of the tables: the text parts with a blank line between them.
_TEXT: Final = """(
    SELECT string_agg(piece.text_content, E'\\n\\n' ORDER BY piece.sequence) FROM raw.content_parts AS piece
    WHERE piece.message_id = message.id AND piece.part_type = 'text'
)"""


def _copy(columns: str, rows: str) -> str:
    return f"COPY (SELECT {columns} FROM {rows}) TO STDOUT"  # noqa: S608 (of the constants below)


_SAID: Final = (
    _copy(_CALL, f"raw.content_parts AS piece {_OWN} {_PIECES}"),
    _copy("piece.message_id, piece.file_name", f"raw.attachments AS piece {_OWN} {_PIECES}"),
)
_CHAT: Final = (_copy(_PLACE, f"{_LIVE} {_MESSAGES}"), *_SAID)
_SESSIONS: Final = (
    _copy("id, partition_key, source, title", "raw.dialogues ORDER BY id"),
    _copy(f"{_PLACE}, message.model, message.created_at", f"{_LIVE} {_MESSAGES}"),
    *_SAID,
)
_WHOLE_PLACE: Final = f"{_PLACE}, message.sequence_number, message.created_at, message.model, message.author_name"
_WHOLE_DIALOGUES: Final = _copy(
    "id, partition_key, source, title, source_created_at, source_updated_at, active_message_id",
    "raw.dialogues ORDER BY id",
)
_WHOLE_PIECES: Final = (
    _copy(
        f"{_CALL}, piece.sequence, piece.is_error, piece.language, piece.mime_type, piece.uri",
        f"raw.content_parts AS piece {_OWN} {_PIECES}",
    ),
    _copy(
        "piece.message_id, piece.sequence, piece.file_name, piece.mime_type, piece.size_bytes, piece.uri, "
        "piece.extracted_text",
        f"raw.attachments AS piece {_OWN} {_PIECES}",
    ),
)
_MARKDOWN: Final = (_WHOLE_DIALOGUES, _copy(_WHOLE_PLACE, f"{_LIVE} {_MESSAGES}"), *_WHOLE_PIECES)
_PARQUET: Final = (_WHOLE_DIALOGUES, _copy(f"{_WHOLE_PLACE}, {_TEXT}", f"{_LIVE} {_MESSAGES}"), *_WHOLE_PIECES)
_QA: Final = (
    _copy(
        "pair.pair_id, pair.pair_type, pair.question, pair.answer, pair.answer_rule, pair.is_error, message.model, "
        "message.created_at, dialogue.source, dialogue.partition_key, dialogue.title, "
        "pair.workspace_id, pair.session_id",
        "derived.qa_pairs AS pair INNER JOIN raw.dialogues AS dialogue ON pair.dialogue_id = dialogue.id "
        "INNER JOIN raw.messages AS message ON pair.dialogue_id = message.dialogue_id "
        "AND pair.end_sequence_number = message.sequence_number "
        "ORDER BY pair.dialogue_id, pair.start_sequence_number, pair.end_sequence_number, pair.pair_id",
    ),
)

ROWS: Final = {
    "openai": _CHAT,
    "trl-sft": _CHAT,
    "trl-dpo": _CHAT,
    "trl-kto": _CHAT,
    "sharegpt": _CHAT,
    "qa": _QA,
    "parquet": _PARQUET,
    "markdown": _MARKDOWN,
    "traces": _SESSIONS,
    "atif": _SESSIONS,
}
