"""What is above a message, where the layers of its dialogue say it differently or not all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from archive_pipeline.ingest.layer import Layer, newest_first
from archive_pipeline.ingest.linking import Link, resolve
from archive_pipeline.ingest.prepare import PreparedMessage, ways_past_nodes

_MISSING: Final = "missing_parent"


def with_parents_of_others(layers: Sequence[Layer]) -> list[Layer]:
    """Return the layers with the parents of their messages that their own exports do not hold but others do."""
    if not any(message.link.flag == _MISSING for layer in layers for message in layer.by_id.values()):
        return [*layers]
    names = {name for layer in layers for name in layer.by_id}
    ways: dict[str, str | None] = {}
    for layer in sorted(layers, key=lambda layer: newest_first(layer.moment, layer.rules)):
        ways = {**ways_past_nodes(layer.by_id.values()), **layer.dialogue.record.message_less_nodes, **ways}
    resolved: dict[str, Link] = {}
    return [
        replace(
            layer,
            by_id={
                name: _resolved(said, resolve(said.record.parent_source_id, names, ways, resolved))
                if said.link.flag == _MISSING
                else said
                for name, said in layer.by_id.items()
            },
        )
        for layer in layers
    ]


def _resolved(said: PreparedMessage, link: Link) -> PreparedMessage:
    return said if link.parent == said.source_id else replace(said, link=link)


def own_link(name: str, newest: Layer, ordered: Sequence[Layer]) -> Link:
    """Return the parent of a message by the newest export that has it; one with damage steps past what it lost."""
    if not newest.has_parents:
        return _parent_of_any(name, ordered)
    said = newest.by_id[name]
    if not newest.dialogue.may_lack_messages or said.link.flag is not None:
        return said.link
    earlier = [layer.by_id[name] for layer in ordered if layer is not newest and name in layer.by_id]
    links = [newer_link(said, message, newest, ordered) for message in earlier]
    return next((link for link in links if link.parent != said.link.parent), said.link)


def newer_link(said: PreparedMessage, whole: PreparedMessage, newest: Layer, ordered: Sequence[Layer]) -> Link:
    """Return the parent of a message that a newer export of less has, too: a step past what it lacks is no move."""
    resolved, own = whole.link, said.link
    if not newest.has_parents or own.flag is not None:
        return resolved
    passed: set[str] = set()
    above = resolved.parent
    while above is not None and above not in newest.by_id and above not in passed:
        passed.add(above)
        step = next((layer.by_id[above] for layer in ordered if above in layer.by_id), None)
        above = None if step is None else step.link.parent
    return resolved if above == own.parent else own


def _parent_of_any(name: str, ordered: Sequence[Layer]) -> Link:
    """Return the parent by the newest layer that has one: what is first in an export may follow others."""
    links = [layer.by_id[name].link for layer in ordered if name in layer.by_id]
    return next((link for link in links if link.parent is not None), links[0])


def live_links(links: Mapping[str, Link], live: set[str]) -> dict[str, Link]:
    """Return the links of live messages, past those that are deleted."""
    ends: dict[str, str | None] = {}
    return {name: _live_link(links[name], links, live, ends) for name in links if name in live}


def _live_link(link: Link, links: Mapping[str, Link], live: set[str], ends: dict[str, str | None]) -> Link:
    if link.parent is None or link.parent in live:
        return link
    trail: list[str] = []
    above: str | None = link.parent
    while above is not None and above not in live and above not in ends:
        ends[above] = None  # seen: a cycle ends here
        trail.append(above)
        above = links[above].parent if above in links else None
    end = above if above is None or above in live else ends[above]
    ends.update(dict.fromkeys(trail, end))
    return Link(end)
