"""Layers: what the newest export of each vintage says of a dialogue, and how they are one dialogue together.

The result is a function of the layers alone, so the order in which exports come does not matter. What each vintage can
say is declared in ``archive_pipeline.domain.vintages``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeVar

from archive_pipeline.domain.records import FULL, AttachmentRecord, DialogueRecord, MessageRecord, PartType
from archive_pipeline.domain.vintages import Holds, Vintage, time_of, vintage
from archive_pipeline.ingest.linking import Link, break_cycles, resolve
from archive_pipeline.ingest.prepare import PreparedDialogue, PreparedMessage, hash_of_message, ways_past_nodes
from archive_pipeline.ingest.source_json import joined_objects
from archive_pipeline.ingest.unread import without_unread

_MEDIA: Final = frozenset({PartType.IMAGE, PartType.AUDIO, PartType.VIDEO, PartType.FILE})
_SHOWN_PARTS: Final = frozenset({PartType.TEXT, PartType.CODE}) | _MEDIA
_TO_EVERYBODY: Final = frozenset({None, "all"})
_FOR_THE_USER: Final = frozenset({None, "final"})

_MISSING: Final = "missing_parent"

ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class Layer:
    """What one export says of a dialogue.

    Attributes:
        rules: of its vintage.
        dialogue: the dialogue as the export has it.
        moment: when that was: what its vintage names, else its time, else that of its last message, else None.
        by_id: its messages by their source ids.
    """

    rules: Vintage
    dialogue: PreparedDialogue
    moment: datetime | None
    by_id: Mapping[str, PreparedMessage]

    @classmethod
    def of(cls, dialogue: PreparedDialogue) -> Layer:
        """Return the layer of a prepared dialogue."""
        record = dialogue.record
        by_id = {message.source_id: message for message in dialogue.messages}
        moment = time_of(record.vintage) or moment_of(dialogue)
        return cls(vintage(record.source, record.vintage), dialogue, moment, by_id)

    def without(self, names: Collection[str]) -> Layer:
        """Return the layer without some of its messages."""
        by_id = {name: message for name, message in self.by_id.items() if name not in names}
        return replace(self, dialogue=replace(self.dialogue, messages=tuple(by_id.values())), by_id=by_id)

    def only_repeats(self, name: str) -> bool:
        """Tell whether a message is there as a later one repeats it: not with its time, and what else comes with it."""
        return self.rules.repeats and self.by_id[name].record.created_at is None

    @property
    def has_parents(self) -> bool:
        """Whether it says what is above its first message, too."""
        return self.rules.has_parents and not self.dialogue.record.is_linear_source

    def is_after(self, other: Layer) -> bool:
        """Tell whether this is known to be of a later time than ``other``."""
        return is_after(self.moment, other.moment)

    def could_hold(self, message: PreparedMessage) -> bool:
        """Tell whether a message that is not in this layer would be if it had not been deleted."""
        return could_hold(self.rules, is_shown=is_shown(message.record))


def moment_of(dialogue: PreparedDialogue) -> datetime | None:
    """Return the time of a dialogue, or of its last message if it has none of its own."""
    times = (message.record.created_at for message in dialogue.messages)
    return dialogue.record.updated_at or max((time for time in times if time), default=None)


def is_after(moment: datetime | None, other: datetime | None) -> bool:
    """Tell whether a moment is known to be later than another."""
    return moment is not None and other is not None and moment > other


def could_hold(rules: Vintage, *, is_shown: bool) -> bool:
    """Tell whether exports of a vintage have each message, or each of those that are shown to everybody."""
    return rules.holds is Holds.ALL or (rules.holds is Holds.SHOWN and is_shown)


def is_shown(record: MessageRecord) -> bool:
    """Tell whether everybody is shown a message, as far as its export says."""
    return (
        record.role in ("user", "assistant")
        and not record.is_hidden
        and record.recipient in _TO_EVERYBODY
        and record.channel in _FOR_THE_USER
        and (bool(record.attachments) or any(part.part_type in _SHOWN_PARTS for part in record.parts))
    )


def merge(layers: Sequence[Layer]) -> PreparedDialogue:
    """Return the dialogue that the layers are together: one or more, of different vintages, in any order."""
    layers = _with_parents_of_others(_without_given_way(layers))
    read = without_unread([layer.by_id for layer in layers])
    layers = [replace(layer, by_id=by_id) for layer, by_id in zip(layers, read, strict=True)]
    ordered = sorted(layers, key=lambda layer: newest_first(layer.moment, layer.rules))
    newest = ordered[0].dialogue
    ids = list(dict.fromkeys(name for layer in sorted(layers, key=_whole_first) for name in layer.by_id))
    merged = {name: _merged(name, ordered) for name in ids}
    telling = [layer for layer in ordered if layer.rules.holds is not Holds.UNKNOWN]
    live = {name for name in ids if not _is_deleted(name, ordered, telling)}
    links = _live_links({name: link for name, (_, link) in merged.items()}, live)
    kept = [name for name in ids if name in live]
    records = [merged[name][0] for name in kept]
    unbroken = break_cycles(records, kept, [links[name] for name in kept], {})
    active = next((name for layer in ordered for name in _pointers(layer.dialogue) if name in live), None)
    return PreparedDialogue(
        id=newest.id,
        source_id=newest.source_id,
        record=_dialogue_record([layer.dialogue.record for layer in ordered]),
        messages=tuple(
            PreparedMessage(_row_id(name, ordered), name, link, record, hash_of_message(name, link, record))
            for name, link, record in zip(kept, unbroken, records, strict=True)
        ),
        active=active,
        counts=_counts([layer.dialogue for layer in ordered], unbroken, active),
        raw=next((layer.dialogue.raw for layer in ordered if layer.dialogue.raw is not None), None),
    )


def _without_given_way(layers: Sequence[Layer]) -> list[Layer]:
    """Return the layers, without messages those whose vintage gives way to that of another with messages."""
    shapes = {layer.rules.name for layer in layers if layer.by_id}
    return [replace(layer, by_id={}) if layer.rules.gives_way_to in shapes else layer for layer in layers]


def _pointers(dialogue: PreparedDialogue) -> tuple[str | None, str | None]:
    """Return where the source's pointer leads to, and its own words: the message may be in another layer."""
    return dialogue.active, dialogue.record.active_source_id


def newest_first(moment: datetime | None, rules: Vintage) -> tuple[float, bool, bool, str]:
    """Return what layers are sorted by; at one time partial exports are first, then what has more."""
    seconds = moment.timestamp() if moment else float("-inf")
    return -seconds, not rules.is_partial, rules.holds is not Holds.ALL, rules.name


def _whole_first(layer: Layer) -> tuple[bool, bool, str]:
    return layer.rules.is_partial, layer.rules.holds is not Holds.ALL, layer.rules.name


def _row_id(name: str, layers: Sequence[Layer]) -> str:
    return next(layer.by_id[name].id for layer in layers if name in layer.by_id)


def _is_deleted(name: str, ordered: Sequence[Layer], telling: Sequence[Layer]) -> bool:
    """Tell whether a layer that could hold the message and is newer than all that have it does not have it.

    ``telling`` are the layers of which it can be told what they could hold; often none, of hundreds.
    """
    if not telling:
        return False
    having = next(layer for layer in ordered if name in layer.by_id)
    fullest = _fullest(name, ordered)
    return any(layer.is_after(having) and layer.could_hold(fullest) for layer in telling)


def _fullest(name: str, ordered: Sequence[Layer]) -> PreparedMessage:
    """Return the message as the vintage that has all fields says it, else as the newest says it."""
    having = [layer for layer in ordered if name in layer.by_id]
    return next((layer.by_id[name] for layer in having if layer.rules.name == FULL), having[0].by_id[name])


def _merged(name: str, ordered: Sequence[Layer]) -> tuple[MessageRecord, Link]:
    having = [layer for layer in ordered if name in layer.by_id]
    newest = next((layer for layer in having if not layer.only_repeats(name)), having[0])
    full = next((layer for layer in ordered if layer.rules.name == FULL and name in layer.by_id), newest)
    said, whole = newest.by_id[name], full.by_id[name]
    if full is newest:
        return said.record, _own_link(name, newest, ordered)
    return _record(said.record, whole.record, newest.rules), _link(said, whole, newest, ordered)


def _record(said: MessageRecord, whole: MessageRecord, rules: Vintage) -> MessageRecord:
    """Return the message with what is new; where the text is the same, the fuller export says all of it but files."""
    if _texts(said) == _texts(whole):
        return _with_files(whole, said)
    return replace(said, **{name: getattr(whole, name) for name in rules.lacks})


def _with_files(whole: MessageRecord, said: MessageRecord) -> MessageRecord:
    """Return a message with the files that only a newer export points to: it may have another id for the same one."""
    pointers = {part.uri for part in whole.parts if part.uri}
    parts = [part for part in said.parts if part.part_type in _MEDIA and part.uri and part.uri not in pointers]
    known = {_name_of(file) for file in whole.attachments}
    attachments = [file for file in said.attachments if _name_of(file) not in known]
    if not parts and not attachments:
        return whole
    return replace(whole, parts=(*whole.parts, *parts), attachments=(*whole.attachments, *attachments))


def _name_of(file: AttachmentRecord) -> str | None:
    return file.source_id or file.uri or file.file_name


def _texts(record: MessageRecord) -> tuple[object, ...]:
    parts = [(part.part_type, part.text) for part in record.parts if part.part_type in _SHOWN_PARTS - _MEDIA]
    return record.role, parts, [file.extracted_text for file in record.attachments if file.extracted_text]


def _with_parents_of_others(layers: Sequence[Layer]) -> list[Layer]:
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


def _parent_of_any(name: str, ordered: Sequence[Layer]) -> Link:
    """Return the parent by the newest layer that has one: what is first in an export may follow others."""
    links = [layer.by_id[name].link for layer in ordered if name in layer.by_id]
    return next((link for link in links if link.parent is not None), links[0])


def _link(said: PreparedMessage, whole: PreparedMessage, newest: Layer, ordered: Sequence[Layer]) -> Link:
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


def _own_link(name: str, newest: Layer, ordered: Sequence[Layer]) -> Link:
    """Return the parent of a message by the newest export that has it; one with damage steps past what it lost."""
    if not newest.has_parents:
        return _parent_of_any(name, ordered)
    said = newest.by_id[name]
    if not newest.dialogue.may_lack_messages or said.link.flag is not None:
        return said.link
    earlier = [layer.by_id[name] for layer in ordered if layer is not newest and name in layer.by_id]
    links = [_link(said, message, newest, ordered) for message in earlier]
    return next((link for link in links if link.parent != said.link.parent), said.link)


def _live_links(links: Mapping[str, Link], live: set[str]) -> dict[str, Link]:
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


def _dialogue_record(records: Sequence[DialogueRecord]) -> DialogueRecord:
    """Return what the newest says; what it has no key for stays."""
    newest = records[0]
    times = [record.updated_at for record in records if record.updated_at]
    return replace(
        newest,
        messages=(),
        created_at=_first(record.created_at for record in records),
        updated_at=max(times, default=None),
        custom_gpt_id=_first(record.custom_gpt_id for record in records),
        project_id=_first(record.project_id for record in records),
        parent_source_id=_first(record.parent_source_id for record in records),
        source_json=joined_objects([record.source_json for record in reversed(records)]),
    )


def _first(values: Iterator[ValueT | None]) -> ValueT | None:
    return next((value for value in values if value is not None), None)


def _counts(dialogues: Sequence[PreparedDialogue], links: Sequence[Link], active: str | None) -> Counter[str]:
    """Return the anomalies of the layers, but for what one of them leads to and another has."""
    counts: Counter[str] = Counter()
    for dialogue in dialogues:
        counts |= dialogue.counts
    for flag in ("missing_parent", "cycle"):
        counts[flag] = sum(link.flag == flag for link in links)
    counts["bad_current_pointer"] = int(active is None and any(map(any, map(_pointers, dialogues))))
    return +counts
