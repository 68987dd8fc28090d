"""What is read of the tables of ``logs.db``: all that conversations have rows in.

Indexes for search (``responses_fts``, ``turn_search``) repeat texts of other tables and are not read.
"""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import DatabaseReader, StoredFiles

DATABASE: Final = DatabaseReader(
    layouts=(
        {
            "conversations": frozenset({"id", "name"}),
            "responses": frozenset({"id", "prompt", "response", "conversation_id"}),
        },
        {
            "threads": frozenset({"id", "tip_message_hash"}),
            "turns": frozenset({"id", "thread_id", "tip_message_hash"}),
            "messages": frozenset({"hash", "parent_hash", "role"}),
            "parts": frozenset({"message_hash", "position", "type"}),
        },
        {"logs": frozenset({"id", "prompt", "response", "chat_id"})},
    ),
    keys={
        "attachments": ("id",),
        "conversations": ("id",),
        "fragment_aliases": ("fragment_id",),
        "fragments": ("id",),
        "logs": ("id", "chat_id"),
        "messages": ("hash", "parent_hash"),
        "part_attachments": ("part_id", "attachment_id"),
        "part_fragments": ("part_id", "fragment_id"),
        "parts": ("id", "message_hash"),
        "prompt_attachments": ("response_id", "attachment_id"),
        "prompt_fragments": ("response_id", "fragment_id"),
        "responses": ("id", "conversation_id", "schema_id"),
        "schemas": ("id",),
        "system_fragments": ("response_id", "fragment_id"),
        "threads": ("id", "tip_message_hash"),
        "tool_calls": ("response_id", "tool_id"),
        "tool_instances": ("id",),
        "tool_instantiations": ("turn_id", "instance_id"),
        "tool_responses": ("response_id", "tool_id"),
        "tool_results": ("id", "response_id", "tool_id", "instance_id"),
        "tool_results_attachments": ("tool_result_id", "attachment_id"),
        "tools": ("id",),
        "turn_fragments": ("turn_id", "fragment_id"),
        "turn_tools": ("turn_id", "tool_id", "instance_id"),
        "turns": ("id", "thread_id", "parent_message_hash", "tip_message_hash", "schema_id"),
    },
    conversations="sources/llm/conversations",
    rows="sources/llm/rows",
    files=StoredFiles("attachments", "content", "id"),
)
