"""Blocking checks for structural faults: rows that no correct build leaves behind.

They look at the dialogues of the run, or at the whole archive when started without partitions, and only where the rows
are up to date: what is merely stale is no fault. A dialogue that could not be read is none either; it is a rejected
record. What a check looks for is a query in ``sql/checks`` that returns one row per violation.
"""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import dagster as dg
from more_itertools import divide
from psycopg.rows import class_row

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration.resources import Archive, transient_errors_retried
from archive_pipeline.store.sql_files import load_query, load_sql
from archive_pipeline.store.staleness import KEY_COLUMNS

EXAMPLES: Final = 5
# A statement has one processor of the server, and most servers have two or more. Fewer keys are not worth a second
# connection.
PARTS: Final = 2
FEWEST_IN_PARTS: Final = {Partitioning.PER_DIALOGUE: 500, Partitioning.SHARDED: 2}
ADVICE: Final = "Build the dialogues again with full=true (llm-archive build --full); if it returns, it is a defect."


@dataclass(frozen=True)
class StructuralCheck:
    """A check.

    Attributes:
        asset: the asset it looks at.
        name: its name; its query is ``sql/checks/<asset>_<name>.sql``.
        description: what holds if it passes.
        is_of_sample: it looks at so many rows of the dialogues, else at all of them.
    """

    asset: str
    name: str
    description: str
    is_of_sample: bool = False


CHECKS: Final = (
    StructuralCheck(
        "message_paths",
        "cover_live_messages",
        "Every live message has exactly one path, and no deleted message has one.",
    ),
    StructuralCheck(
        "linear_sequences",
        "have_one_primary",
        "Every dialogue with live messages has exactly one primary sequence.",
    ),
    StructuralCheck(
        "prompt_responses",
        "join_user_and_assistant",
        "Every pair joins a live user message and a live assistant message of its dialogue.",
    ),
    StructuralCheck(
        "exchanges",
        "are_anchored",
        "Every exchange begins and ends with live messages and continues an exchange of its dialogue, if any.",
    ),
    StructuralCheck(
        "content_hashes",
        "recompute",
        "Hashes of message texts are those that PostgreSQL computes, for up to 1,000 messages.",
        is_of_sample=True,
    ),
    StructuralCheck(
        "qa_pairs",
        "have_sources",
        "Question and answer of every pair are live messages with the stored sequence numbers.",
    ),
    StructuralCheck(
        "response_hashes",
        "follow_their_parents",
        "Every response is a live assistant message, and its path hash is that of its prompt after its parent's.",
    ),
    StructuralCheck(
        "qa_chunks",
        "are_slices",
        "Chunks are the texts of their pairs between the stored offsets, for up to 1,000 chunks.",
        is_of_sample=True,
    ),
    StructuralCheck(
        "message_chunks",
        "are_slices",
        "Chunks are what their messages say between the stored offsets, for up to 1,000 chunks.",
        is_of_sample=True,
    ),
)


class Violation(NamedTuple):
    """A row that no correct build leaves behind, and how many there are in all."""

    dialogue_id: str
    entity_id: str
    problem: str
    total: int


def find_violations(
    archive: Archive, check: StructuralCheck, keys: Sequence[str] | None
) -> tuple[int, list[Violation]]:
    """Return how many violations there are among the partition keys (None: everywhere), and the first few."""
    parts = _parts(check, keys, archive.settings.partitioning)
    with ThreadPoolExecutor(len(parts), thread_name_prefix="check") as threads:
        found = list(threads.map(partial(_violations, archive, check), parts))
    rows = [row for some in found for row in some][:EXAMPLES]
    return sum(some[0].total for some in found if some), rows


def _parts(check: StructuralCheck, keys: Sequence[str] | None, partitioning: Partitioning) -> list[list[str] | None]:
    """Return the keys in parts that are looked at at the same time; a sample is one of all."""
    if keys is None:
        return [None]
    if check.is_of_sample or len(keys) < FEWEST_IN_PARTS[partitioning]:
        return [list(keys)]
    return [list(part) for part in divide(PARTS, keys)]


def _violations(archive: Archive, check: StructuralCheck, keys: list[str] | None) -> list[Violation]:
    """Return the first violations among partition keys (None: everywhere), each with the number of all."""
    query = load_query("checks/violations")
    query = query.replace("{checked}", _query("checked_dialogues"))
    query = query.replace("{key_column}", KEY_COLUMNS[archive.settings.partitioning])
    query = query.replace("{violation}", _query(f"{check.asset}_{check.name}"))
    with archive.database.session() as connection, connection.cursor(row_factory=class_row(Violation)) as cursor:
        cursor.execute(query, {"asset": check.asset, "keys": keys, "limit": EXAMPLES})
        return cursor.fetchall()


def _definition(check: StructuralCheck) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=check.asset, name=check.name, description=check.description, blocking=True)
    def run_check(context: dg.AssetCheckExecutionContext, archive: dg.ResourceParam[Archive]) -> dg.AssetCheckResult:
        keys = context.partition_keys if context.has_partition_key_range or context.has_partition_key else None
        with transient_errors_retried():
            count, examples = find_violations(archive, check, keys)
        return dg.AssetCheckResult(
            passed=count == 0,
            severity=dg.AssetCheckSeverity.ERROR,
            description=f"{count} violations. {ADVICE}" if count else None,
            metadata={"violations": count, **({"examples": _table(examples)} if examples else {})},
        )

    return run_check


def _table(rows: Sequence[Violation]) -> dg.TableMetadataValue:
    return dg.MetadataValue.table(
        [
            dg.TableRecord({"dialogue_id": row.dialogue_id, "entity_id": row.entity_id, "problem": row.problem})
            for row in rows
        ]
    )


def _query(name: str) -> str:
    return load_sql(f"checks/{name}").rstrip().removesuffix(";")


STRUCTURAL_CHECKS: Final = [_definition(check) for check in CHECKS]
