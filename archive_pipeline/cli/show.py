"""``llm-archive show``: one dialogue as a thread, a tree, Markdown or JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import click

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import one_line, print_json, print_text, shown
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.tree_drawing import OTHER, PRIMARY, draw_tree
from archive_pipeline.domain.batch import ROOT
from archive_pipeline.domain.counted import counted
from archive_pipeline.export.attached import named_files
from archive_pipeline.export.branches import branches, current_leaf, named_leaf
from archive_pipeline.export.markdown import dialogue_markdown, thread_markdown
from archive_pipeline.retrieval.reading.attached_files import AttachedContent, attached_files
from archive_pipeline.retrieval.reading.dialogues import Dialogue, read_dialogue
from archive_pipeline.retrieval.reading.messages import Message, Part, take_marks_out
from archive_pipeline.retrieval.reading.placed_files import place_files
from archive_pipeline.retrieval.reading.subagents import LinkedDialogue, Subagents, read_subagents
from archive_pipeline.store.look_ups import reused_messages

# Names of branches that stand where they leave the path.
_NAMES: Final = 10

Files = Mapping[str, Sequence[AttachedContent]]


def run(key: str, branch: str | None, *, tree: bool, markdown: bool, as_json: bool) -> None:
    """Print the dialogue."""
    with open_archive() as archive:
        dialogue = read_dialogue(archive.database, key)
        with archive.database.session() as connection:
            reused = reused_messages(connection, dialogue.heading.dialogue_id)
            files = attached_files(connection, [message.id for message in dialogue.messages])
            linked = read_subagents(connection, dialogue.heading.dialogue_id)
    leaf = current_leaf(dialogue) if branch is None else named_leaf(dialogue, branch)
    if as_json:
        print_json(as_dict(dialogue, leaf, reused, files) | _subagents_as_dict(linked))
        return
    take_marks_out(dialogue.messages)
    if markdown:
        named = named_files(files)
        whole = branch is None
        print_text(dialogue_markdown(dialogue, (), named) if whole else thread_markdown(dialogue, leaf, named))
    else:
        heading = [*_heading(dialogue), *_subagents(linked)]
        _page("\n".join([*heading, *(_tree(dialogue) if tree else _thread(dialogue, leaf, reused, files))]))


def as_dict(dialogue: Dialogue, leaf: int, reused: Mapping[str, int], files: Files) -> dict[str, Any]:
    """Return a dialogue for programs: all messages with their files, all branches, and which path is shown."""
    ids, parent = dialogue.batch.message_ids, dialogue.batch.parent
    path = dialogue.path(leaf)
    on_path = set(path)
    positions = dialogue.batch.positions(dialogue.number)
    return {
        **asdict(dialogue.heading),
        "path": [ids[position] for position in path],
        "branches": [
            {
                "name": branch.name,
                "leaf_message_id": ids[branch.leaf],
                "branched_at_message_id": None if branch.branched_at == ROOT else ids[branch.branched_at],
                "length": forest_of(dialogue.batch).depth[branch.leaf] + 1,
            }
            for branch in branches(dialogue)
        ],
        "messages": [
            {
                **asdict(message),
                "parent_id": None if parent[position] == ROOT else ids[parent[position]],
                "is_on_path": position in on_path,
                "reused": reused.get(message.id, 0),
                "files": [
                    {name: value for name, value in file._asdict().items() if name != "message_id"}
                    for file in files.get(message.id, ())
                ],
            }
            for position, message in zip(positions, dialogue.messages, strict=True)
        ],
    }


def _heading(dialogue: Dialogue) -> Iterator[str]:
    heading, known = dialogue.heading, branches(dialogue)
    yield click.style(one_line(heading.name), bold=True)
    models = sorted({message.model for message in dialogue.messages if message.model})
    dates = [f"{moment:%Y-%m-%d %H:%M}" for moment in (heading.created_at, heading.updated_at) if moment]
    size = counted(dialogue.shown_count, "message")
    told = [heading.source, " to ".join(dates), *models, size, heading.partition_key]
    yield click.style(" · ".join(one_line(part) for part in told if part), dim=True)
    if len(known) > 1:
        yield click.style(f"{len(known):,} branches; --tree shows them, --branch NAME one of them", dim=True)


def _subagents_as_dict(linked: Subagents) -> dict[str, Any]:
    return {
        "parent": None if linked.parent is None else linked.parent.as_dict(),
        "subagents": [each.as_dict() for each in linked.started],
        "subagent_count": linked.count,
    }


def _subagents(linked: Subagents) -> Iterator[str]:
    """Yield a line for the dialogue that started this one, and for each that it started."""
    if linked.parent is not None:
        yield click.style(f"subagent of {_linked(linked.parent)}", dim=True)
    for each in linked.started:
        yield click.style(f"subagent: {_linked(each)}", dim=True)
    if linked.count > len(linked.started):
        yield click.style(f"and {linked.count - len(linked.started):,} more subagents", dim=True)


def _linked(linked: LinkedDialogue) -> str:
    if linked.partition_key is None:
        return f"{one_line(linked.source_id)}, which is not in the archive"
    return f"{one_line(linked.name)} · {one_line(linked.partition_key)}"


def _thread(dialogue: Dialogue, leaf: int, reused: Mapping[str, int], files: Files) -> Iterator[str]:
    elsewhere = _branching(dialogue, leaf)
    for position in dialogue.path(leaf):
        message = dialogue.message(position)
        if message.is_shown:
            yield ""
            yield _message_heading(message, reused.get(message.id, 0))
            yield from _content(message, files.get(message.id, ()))
        if position in elsewhere:
            yield click.style(f"({_leaving(elsewhere[position])})", fg="yellow")
    if not dialogue.messages:
        yield "(no messages)"


def _content(message: Message, files: Sequence[AttachedContent]) -> Iterator[str]:
    placed = place_files(message, files)
    for part, file in placed.parts:
        yield from _part(part) if file is None else (click.style(_file(file), dim=True),)
    for attachment, file in placed.attachments:
        if file is not None:
            yield click.style(_file(file), dim=True)
        elif attachment is not None:
            yield click.style(f"[attachment: {one_line(attachment.shown_name)}]", dim=True)
        if attachment is not None and attachment.text:
            yield click.style(shown(attachment.text), dim=True)


def _file(file: AttachedContent) -> str:
    if file.sha256 is None:
        return f"[file missing: {one_line(file.name)}]"
    return f"[file: {one_line(file.name)}, {file.media_type}, {file.size_bytes:,} bytes, {file.sha256}]"


def _branching(dialogue: Dialogue, leaf: int) -> dict[int, list[str]]:
    """Return per message of a path the branches that leave it there."""
    names = {branch.leaf: branch.name for branch in branches(dialogue)}
    last = {position: position for position in dialogue.path(leaf)}
    leaving: dict[int, list[str]] = {}
    positions = dialogue.batch.positions(dialogue.number)
    for position in forest_of(dialogue.batch).order[positions.start : positions.stop]:  # parents before children
        if position in last:
            continue
        above = last.get(dialogue.batch.parent[position])
        if above is not None:
            last[position] = above
            if position in names:
                leaving.setdefault(above, []).append(names[position])
    return leaving


def _leaving(names: Sequence[str]) -> str:
    """Return what is said of the branches that leave the path at a message."""
    more = len(names) - _NAMES
    first = ", ".join(names[:_NAMES])
    return f"{first} and {more:,} more from here; --tree shows them" if more > 0 else f"{first} from here"


def _message_heading(message: Message, reused: int) -> str:
    told = [message.author if message.role == "tool" else None, message.model if message.role == "assistant" else None]
    told.append(f"{message.created_at:%Y-%m-%d %H:%M}" if message.created_at else None)
    told.append(None if message.state == "complete" else message.state.replace("_", " "))
    told.append(f"reused {reused:,} times" if reused > 1 else "reused once" if reused else None)
    details = " · ".join(one_line(part) for part in told if part)
    return click.style(message.role, bold=True, fg="cyan") + (click.style(f"  {details}", dim=True) if details else "")


def _part(part: Part) -> Iterator[str]:
    text = shown(part.text or "")
    if part.kind in {"text", "code", "error"}:
        yield text
    elif part.kind == "tool_use":
        yield click.style(f"calls {one_line(part.tool_name or 'a tool')}", fg="magenta")
        yield shown(part.arguments or "")
    elif part.kind == "tool_result":
        failed = ", an error" if part.is_error else ""
        yield click.style(f"result of {one_line(part.tool_name or 'a tool')}{failed}", fg="magenta")
        yield text
    else:
        label = one_line(f"{part.kind}: {part.uri}" if part.uri else part.kind)
        yield click.style(label if text else f"[{label}]", dim=True)
        if text:
            yield click.style(text, dim=True)


def _tree(dialogue: Dialogue) -> Iterator[str]:
    names = {branch.leaf: branch.name for branch in branches(dialogue)}
    yield ""
    texts = [None if message.is_hidden else message.text for message in dialogue.messages]
    batch = replace(dialogue.batch, text=texts)  # the batch of one dialogue
    yield draw_tree(batch, dialogue.number, max_lines=max(len(dialogue.messages), 1), labels=names)
    yield ""
    yield click.style(f"{PRIMARY} main path, {OTHER} other branches", dim=True)


def _page(text: str) -> None:
    """Print a text, on a terminal through the pager of the user's."""
    if sys.stdout.isatty():
        click.echo_via_pager(text + "\n", color=True)
    else:
        click.echo(text)
