"""Schema ``derived``: what each dialogue's rows were built from, and what could not be built."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, DateTime, Table, Text, func

from archive_pipeline.store.tables.base import DERIVED, dialogue_column, metadata

build_state: Final = Table(
    "build_state",
    metadata,
    dialogue_column(primary_key=True),
    Column("asset", Text, primary_key=True, comment="Name of the derived asset"),
    Column("fingerprint", Text, nullable=False, comment="Fingerprint of the dialogue the rows were built from"),
    Column("code_version", Text, nullable=False, comment="Version of the code and settings that built them"),
    Column("built_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When"),
    schema=DERIVED,
    comment="What each derived asset was built from: the truth about what is stale",
)

build_errors: Final = Table(
    "build_errors",
    metadata,
    dialogue_column(primary_key=True),
    Column("asset", Text, primary_key=True, comment="Name of the derived asset that cannot be built for the dialogue"),
    Column("fingerprint", Text, nullable=False, comment="Fingerprint of the dialogue it was tried with"),
    Column("code_version", Text, nullable=False, comment="Version of the code and settings that tried"),
    Column("error", Text, nullable=False, comment="Type and message on the first line, then where it came from"),
    Column("failed_at", DateTime(timezone=True), nullable=False, server_default=func.now(), comment="When"),
    schema=DERIVED,
    comment="Quarantine: not tried again with the same content by the same code; has no rows in the asset's tables",
)
