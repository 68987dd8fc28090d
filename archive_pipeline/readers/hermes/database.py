"""What is read of Hermes' database: sessions, their messages, what models they used, and system prompts.

Tables of the gateway (``gateway_routing``, ``async_delegations``, …) have no messages and are not read.
"""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import DatabaseReader

DATABASE: Final = DatabaseReader(
    layouts=(
        {
            "sessions": frozenset({"id", "source", "started_at"}),
            "messages": frozenset({"id", "session_id", "role", "content", "tool_calls", "timestamp"}),
        },
    ),
    keys={
        "messages": ("session_id",),
        "session_model_usage": ("session_id",),
        "sessions": ("id", "system_prompt_hash"),
        "system_prompts": ("hash",),
    },
    conversations="sources/hermes/conversations",
    rows="sources/hermes/rows",
    json={
        "messages": frozenset(
            {"tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items", "display_metadata"}
        ),
        "sessions": frozenset({"model_config", "origin_json", "tool_names"}),
    },
)
