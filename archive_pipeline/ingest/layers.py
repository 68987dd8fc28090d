"""How the layers of a dialogue, the newest of each vintage, are one dialogue together.

The result is a function of the layers alone, so the order in which exports come does not matter. What each vintage can
say is declared in ``archive_pipeline.domain.vintages``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from archive_pipeline.domain.records import FULL, AttachmentRecord, DialogueRecord, MessageRecord
from archive_pipeline.domain.vintages import Holds, Vintage
from archive_pipeline.ingest.layer import MEDIA, WRITTEN, Layer, newest_first
from archive_pipeline.ingest.layer_links import live_links, newer_link, own_link, with_parents_of_others
from archive_pipeline.ingest.linking import Link, break_cycles
from archive_pipeline.ingest.prepare import PreparedDialogue, PreparedMessage, hash_of_message
from archive_pipeline.ingest.source_json import joined_objects
from archive_pipeline.ingest.unread import without_unread

ValueT = TypeVar("ValueT")


def merge(layers: Sequence[Layer]) -> PreparedDialogue:
    """Return the dialogue that the layers are together: one or more, of different vintages, in any order."""
    layers = with_parents_of_others(_without_given_way(layers))
    read = without_unread([layer.by_id for layer in layers])
    layers = [replace(layer, by_id=by_id) for layer, by_id in zip(layers, read, strict=True)]
    ordered = sorted(layers, key=lambda layer: newest_first(layer.moment, layer.rules))
    newest = ordered[0].dialogue
    ids = list(dict.fromkeys(name for layer in sorted(layers, key=_whole_first) for name in layer.by_id))
    merged = {name: _merged(name, ordered) for name in ids}
    telling = [layer for layer in ordered if layer.rules.holds is not Holds.UNKNOWN]
    live = {name for name in ids if not _is_deleted(name, ordered, telling)}
    links = live_links({name: link for name, (_, link) in merged.items()}, live)
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
        return said.record, own_link(name, newest, ordered)
    return _record(said.record, whole.record, newest.rules), newer_link(said, whole, newest, ordered)


def _record(said: MessageRecord, whole: MessageRecord, rules: Vintage) -> MessageRecord:
    """Return the message with what is new; where the text is the same, the fuller export says all of it but files."""
    if _texts(said) == _texts(whole):
        return _with_files(whole, said)
    return replace(said, **{name: getattr(whole, name) for name in rules.lacks})


def _with_files(whole: MessageRecord, said: MessageRecord) -> MessageRecord:
    """Return a message with the files that only a newer export points to: it may have another id for the same one."""
    pointers = {part.uri for part in whole.parts if part.uri}
    parts = [part for part in said.parts if part.part_type in MEDIA and part.uri and part.uri not in pointers]
    known = {_name_of(file) for file in whole.attachments}
    attachments = [file for file in said.attachments if _name_of(file) not in known]
    if not parts and not attachments:
        return whole
    return replace(whole, parts=(*whole.parts, *parts), attachments=(*whole.attachments, *attachments))


def _name_of(file: AttachmentRecord) -> str | None:
    return file.source_id or file.uri or file.file_name


def _texts(record: MessageRecord) -> tuple[object, ...]:
    parts = [(part.part_type, part.text) for part in record.parts if part.part_type in WRITTEN]
    return record.role, parts, [file.extracted_text for file in record.attachments if file.extracted_text]


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
