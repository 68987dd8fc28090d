"""The derived assets, as their modules declare them: what each writes, what it depends on, and its version.

A module of this package that has an ``ASSET`` is one; there is no list to extend.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from graphlib import TopologicalSorter
from heapq import heapify, heappop, heappush
from typing import Any, Final

from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.domain.batch import DialogueBatch, DocumentBatch
from archive_pipeline.domain.modules import modules_of
from archive_pipeline.settings import Settings


def in_build_order(assets: Iterable[DerivedAsset[Any]]) -> list[DerivedAsset[Any]]:
    """Return the assets, upstream before downstream, and by name where dependencies leave a choice.

    Raises:
        ValueError: two have one name, one depends on an unknown one, or on itself by way of others.
    """
    named: dict[str, DerivedAsset[Any]] = {}
    for asset in assets:
        if named.setdefault(asset.name, asset) is not asset:
            raise ValueError(f"two derived assets have the name {asset.name!r}")
    for asset in named.values():
        if unknown := [name for name in asset.upstream if name not in named]:
            raise ValueError(f"{asset.name} depends on {unknown[0]!r}, which no module of derive declares")
    order = TopologicalSorter({name: asset.upstream for name, asset in named.items()})
    order.prepare()  # raises CycleError, a ValueError
    return [named[name] for name in _smallest_first(order)]


def _smallest_first(order: TopologicalSorter[str]) -> Iterator[str]:
    ready = list(order.get_ready())
    heapify(ready)
    while ready:
        name = heappop(ready)
        yield name
        order.done(name)
        for following in order.get_ready():
            heappush(ready, following)


def _declared() -> Iterator[DerivedAsset[Any]]:
    for module in modules_of(__package__):
        asset = getattr(module, "ASSET", None)
        if isinstance(asset, DerivedAsset):
            yield asset


_ALL: Final = in_build_order(_declared())
# Of dialogues: each has partitions. Of documents: each is built whole.
ASSETS: Final[Mapping[str, DerivedAsset[DialogueBatch]]] = {
    asset.name: asset for asset in _ALL if asset.of is DialogueBatch
}
DOCUMENT_ASSETS: Final[Mapping[str, DerivedAsset[DocumentBatch]]] = {
    asset.name: asset for asset in _ALL if asset.of is DocumentBatch
}
# Those of dialogues whose rows are embedded and searched, as chunks of documents are.
CHUNK_ASSETS: Final = ("qa_chunks", "message_chunks")


def effective_version(name: str, settings: Settings) -> str:
    """Return the version that is recorded with rows of the asset, which is of dialogues or of documents.

    It is made of the asset's own version, its settings, what else its rows depend on, and the same of its upstream.
    """
    asset: DerivedAsset[Any] = ASSETS[name] if name in ASSETS else DOCUMENT_ASSETS[name]
    if asset.full_version is not None:
        return asset.full_version(settings)
    own = ";".join(filter(None, (asset.setting_version(settings), asset.runtime_version())))
    parts = [asset.code_version, own, *(effective_version(upstream, settings) for upstream in asset.upstream)]
    if not own and not asset.upstream:
        return asset.code_version
    return f"{asset.code_version}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:12]}"


def code_versions(settings: Settings) -> dict[str, str]:
    """Return the effective version of every derived asset of dialogues."""
    return {name: effective_version(name, settings) for name in ASSETS}


def chunk_versions(settings: Settings) -> dict[str, str]:
    """Return the effective version of every asset whose rows are chunks of dialogues."""
    return {name: effective_version(name, settings) for name in CHUNK_ASSETS}
