"""``llm-archive annotate``: tags, notes, choices among answers, and what is never exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

import click

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import note, one_line, print_json
from archive_pipeline.export.branches import named_answer, named_message
from archive_pipeline.retrieval.reading.dialogues import Dialogue, read_dialogue
from archive_pipeline.store.annotations import Annotation, annotate, annotations_of, remove_annotation


def run(
    key: str,
    tags: Sequence[str],
    notes: Sequence[str],
    chosen: Sequence[str],
    rejected: Sequence[str],
    message: str | None,
    *,
    never_export: bool,
    remove: bool,
    as_json: bool,
) -> None:
    """Set or take back what is said, and print what is said then."""
    with open_archive() as archive:
        dialogue = read_dialogue(archive.database, key)
        said = [*_texts(dialogue, tags, notes, message), *_marks(dialogue, chosen, rejected)]
        said += [Annotation("never_export")] if never_export else []
        with archive.database.session() as connection:
            change = remove_annotation if remove else annotate
            for annotation in said:
                if not change(connection, dialogue.heading.dialogue_id, annotation):
                    note(f"{_line(annotation)}: {'was not said' if remove else 'was said before'}")
            known = annotations_of(connection, dialogue.heading.dialogue_id)
    if as_json:
        print_json([asdict(annotation) for annotation in known])
    else:
        for annotation in known:
            click.echo(_line(annotation))


def _texts(dialogue: Dialogue, tags: Sequence[str], notes: Sequence[str], message: str | None) -> Iterator[Annotation]:
    name = None if message is None else named_message(dialogue, message)
    for tag in tags:
        yield replace(Annotation("tag", tag.strip() or tag), message_id=name)
    for text in notes:
        yield replace(Annotation("note", text), message_id=name)


def _marks(dialogue: Dialogue, chosen: Sequence[str], rejected: Sequence[str]) -> Iterator[Annotation]:
    good, bad = ([named_answer(dialogue, name) for name in names] for names in (chosen, rejected))
    for both in set(good) & set(bad):
        raise click.UsageError(f"message {both} is both chosen and rejected")
    yield from (Annotation("chosen", message_id=name) for name in good)
    yield from (Annotation("rejected", message_id=name) for name in bad)


def _line(annotation: Annotation) -> str:
    told = [
        annotation.kind.replace("_", " "),
        annotation.text,
        annotation.message_id and f"message {annotation.message_id}",
    ]
    return one_line(": ".join(part for part in told if part))
