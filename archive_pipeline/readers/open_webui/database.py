"""What is read of Open WebUI's own database, ``webui.db``: its table of chats, of which an export is the rows."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import DatabaseReader, WholeRows

DATABASE: Final = DatabaseReader(
    layouts=({"chat": frozenset({"id", "user_id", "title", "chat", "created_at", "updated_at"})},),
    keys={"chat": ("id",)},
    conversations="sources/open_webui/conversations",
    rows="sources/open_webui/rows",
    json={"chat": frozenset({"chat", "meta", "tasks", "variables"})},
    whole_rows=WholeRows("chat", flags=frozenset({"archived", "pinned"})),
)
