"""No two dialogues have one partition key: what a unique index would see to if it could contain the dialogue.

The key is made of source and source id, as the dialogue's id is. Two ids can have one key only where one is replaced by
its hash and the other reads like that hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import psycopg

from archive_pipeline.domain.identity import may_be_shared
from archive_pipeline.store import locks
from archive_pipeline.store.rows import fetch_column


class PartitionKeyTakenError(ValueError):
    """Another dialogue has the partition key; the message names the key."""


def check_partition_keys(connection: psycopg.Connection[Any], keys: Mapping[str, str]) -> None:
    """Keep the partition keys of new dialogues for them until the end of the caller's transaction.

    Args:
        connection: in the transaction that writes the dialogues.
        keys: dialogue id -> partition key.

    Raises:
        PartitionKeyTakenError: another dialogue has one of the keys, in the archive or among the given ones.
    """
    shared = {dialogue: key for dialogue, key in keys.items() if may_be_shared(key)}
    if not shared:
        return
    for key in sorted(set(shared.values())):
        locks.hold_in_transaction(connection, locks.PARTITION_KEY, key)
    parameters = {"ids": list(shared), "keys": list(shared.values())}
    taken = fetch_column(connection, "raw/taken_keys", str, parameters)
    taken += [key for key, count in Counter(shared.values()).items() if count > 1]
    if taken:
        raise PartitionKeyTakenError(f"another dialogue has the partition key {min(taken)}")
