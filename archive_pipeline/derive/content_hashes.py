"""``content_hashes``: SHA-256 and simhash of message and exchange texts (seed 000).

One row per entity, scope and normalisation for which the entity has text in that scope; the hash is NULL where the
normalisation leaves nothing. A message has the scopes ``full`` and, by its role, ``user`` or ``assistant``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from archive_pipeline.derive.asset import TEXT, DerivedAsset
from archive_pipeline.derive.exchange_runs import ExchangeRuns, exchange_runs_of
from archive_pipeline.derive.message_texts import text_hashes
from archive_pipeline.domain.batch import BLANK_LINE, DialogueBatch
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.domain.frames import frame
from archive_pipeline.text.normalization import JOINERS, normalize, sha256
from archive_pipeline.text.runtime import UNICODE
from archive_pipeline.text.simhash import WordHashes, simhash_v1, simhash_words, word_hashes

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "1"


@dataclass
class _Rows:
    """Result columns in the making."""

    dialogue_id: list[str] = field(default_factory=list)
    entity_id: list[str] = field(default_factory=list)
    entity_type: list[str] = field(default_factory=list)
    hash_scope: list[str] = field(default_factory=list)
    normalization: list[str] = field(default_factory=list)
    hash_sha256: list[str | None] = field(default_factory=list)
    hash_simhash: list[str | None] = field(default_factory=list)

    def add(self, entity: _Entities, sha256: Sequence[str | None], normalization: Normalization) -> None:
        """Add one row per entity."""
        count = len(entity.entity_id)
        self.dialogue_id += entity.dialogue_id
        self.entity_id += entity.entity_id
        self.entity_type += [entity.entity_type] * count
        self.hash_scope += entity.scope
        self.normalization += [normalization.value] * count
        self.hash_sha256 += sha256
        self.hash_simhash += entity.simhash


@dataclass(frozen=True)
class _Entities:
    """Entities in a scope, each with the messages whose texts make it up."""

    entity_type: str
    scope: list[str]
    dialogue_id: list[str]
    entity_id: list[str]
    members: list[list[int]]
    simhash: list[str | None]


def content_hashes(batch: DialogueBatch, normalizations: Sequence[Normalization], simhash_version: int) -> pd.DataFrame:
    """Return the hash rows of all messages and exchanges of the batch.

    Args:
        batch: the dialogues.
        normalizations: the normalisations to materialise.
        simhash_version: 1 or 2.
    """
    with_text = [position for position, text in enumerate(batch.text) if text is not None]
    texts = [text for text in batch.text if text is not None]
    number = {position: index for index, position in enumerate(with_text)}
    groups = list(_message_scopes(batch, with_text)) + list(_exchange_scopes(exchange_runs_of(batch), number))
    normalized = {normalization: normalize(texts, normalization) for normalization in normalizations}
    full = normalized.get(Normalization.FULL) or normalize(texts, Normalization.FULL)
    similar = _simhashes([members for *_, members in groups], texts, full, simhash_version)
    entities = [
        _Entities(kind, scopes, dialogues, ids, members, simhash)
        for (kind, scopes, dialogues, ids, members), simhash in zip(groups, similar, strict=True)
    ]
    rows = _Rows()
    for normalization, encoded in normalized.items():
        if normalization is Normalization.NONE:
            known = text_hashes(batch)
            hashes = [known[position] for position in with_text]
        else:
            hashes = [sha256(text) for text in encoded]
        for entity in entities:
            rows.add(entity, joined_hashes(entity.members, encoded, hashes, JOINERS[normalization]), normalization)
    columns: dict[str, Any] = dict(vars(rows))
    return frame({**columns, "simhash_version": [simhash_version] * len(rows.entity_id)})


_Group = tuple[str, list[str], list[str], list[str], list[list[int]]]


def _message_scopes(batch: DialogueBatch, with_text: list[int]) -> Iterator[_Group]:
    ids, dialogues, roles = batch.message_ids, batch.dialogue_of_message, batch.role
    numbered = list(enumerate(with_text))
    for own_role in (False, True):
        chosen = [(n, p) for n, p in numbered if not own_role or roles[p] in {"user", "assistant"}]
        yield (
            "message",
            [roles[p] if own_role else "full" for _, p in chosen],
            [dialogues[p] for _, p in chosen],
            [ids[p] for _, p in chosen],
            [[n] for n, _ in chosen],
        )


def _exchange_scopes(runs: ExchangeRuns, number: dict[int, int]) -> Iterator[_Group]:
    users = [[number[p] for p in members if p in number] for members in runs.users]
    assistants = [[number[p] for p in members if p in number] for members in runs.assistants]
    both = [user + assistant for user, assistant in zip(users, assistants, strict=True)]
    dialogues = runs.batch.dialogue_of_message
    for scope, members in (("full", both), ("user", users), ("assistant", assistants)):
        chosen = [index for index, texts in enumerate(members) if texts]
        yield (
            "exchange",
            [scope] * len(chosen),
            [dialogues[runs.last[index]] for index in chosen],
            [runs.ids[index] for index in chosen],
            [members[index] for index in chosen],
        )


def joined_hashes(
    members: list[list[int]], normalized: list[bytes], hashes: list[str | None], joiner: bytes
) -> list[str | None]:
    """Return the SHA-256 of each entity's text, which is made of the normalised texts of its members."""
    return [
        hashes[group[0]]
        if len(group) == 1
        else sha256(joiner.join([text for index in group if (text := normalized[index])]))
        for group in members
    ]


def _simhashes(
    groups: list[list[list[int]]], texts: list[str], full: list[bytes], version: int
) -> list[list[str | None]]:
    if version == 1:
        return [
            [simhash_v1(BLANK_LINE.join([texts[index] for index in group])) for group in members] for members in groups
        ]
    words = word_hashes(full)
    single = simhash_words(words)
    return [_simhash_groups(members, words, single) for members in groups]


def _simhash_groups(members: list[list[int]], words: WordHashes, single: list[str | None]) -> list[str | None]:
    several = [group for group in members if len(group) > 1]
    joined = iter(simhash_words(words.join(several)))
    return [single[group[0]] if len(group) == 1 else next(joined) for group in members]


ASSET: Final = DerivedAsset(
    name="content_hashes",
    of=DialogueBatch,
    tables=("content_hashes",),
    upstream=("exchanges",),
    derive=lambda batch, settings: {
        "content_hashes": content_hashes(batch, settings.hash_normalizations, settings.simhash_version)
    },
    code_version=CODE_VERSION,
    setting_version=lambda settings: f"{','.join(settings.hash_normalizations)};simhash={settings.simhash_version}",
    runtime_version=lambda: UNICODE,
    description="One row per entity, scope and normalisation that has text.",
    reads=("messages", "content_parts"),
    lineage={"entity_id": ("raw/messages.id", "exchanges.id"), "hash_sha256": TEXT, "hash_simhash": TEXT},
)
