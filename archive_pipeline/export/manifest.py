"""What stands beside the data: a manifest for programs, and a dataset card for people and hubs.

Neither has a time or a machine in it: the same archive and choices give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any, Final

import orjson
import pyarrow as pa

from archive_pipeline.export.choices import SPLITS
from archive_pipeline.export.formats.base import JSON, Format, Run
from archive_pipeline.export.output import WrittenFile

MANIFEST: Final = "manifest.json"
CARD: Final = "README.md"
_PACKAGE: Final = "llm-archive-pipeline"
_LISTED: Final = 20
_DEFAULT: Final = "default"


def manifest(
    format_: Format,
    run: Run,
    files: Sequence[WrittenFile],
    schema_version: str,
    redacted: dict[str, int],
) -> dict[str, Any]:
    """Return what was asked for, by which versions, and what came of it."""
    return {
        "format": format_.name,
        "choices": run.choices.as_dict(run.redact),
        "versions": {_PACKAGE: version(_PACKAGE), "schema": schema_version},
        "read": dict(sorted(run.read.items())),
        "written": dict(sorted(run.written.items())),
        "left_out": dict(sorted(run.left_out.items())),
        "redacted": dict(sorted(redacted.items())) if run.choices.redact else None,
        "files": [file._asdict() for file in files],
    }


def manifest_bytes(told: dict[str, Any]) -> bytes:
    """Return the manifest as indented JSON."""
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def card(
    format_: Format, run: Run, told: dict[str, Any], files: Sequence[WrittenFile], manifest_name: str = MANIFEST
) -> bytes:
    """Return the dataset card: Markdown, whose front matter tells a hub the columns, and the files of each split."""
    lines = [
        "---",
        *_front_matter(format_, run, files),
        "---",
        "",
        f"# Export: {format_.name}",
        "",
        f"{format_.description}.",
        "",
    ]
    lines += ["Made by llm-archive-pipeline from one person's conversations with language models.", ""]
    lines += _counted("Read", told["read"])
    lines += _counted("Written", told["written"])
    lines += _counted("Left out", told["left_out"])
    if told["redacted"] is None:
        lines += [
            "## Redaction",
            "",
            "None: texts are as they are in the archive. Read them before you share them.",
            "",
        ]
    else:
        lines += _counted("Redacted", told["redacted"])
        lines += ["Rules find most secrets and personal data, never all. Read what you share.", ""]
    lines += [
        "## Choices",
        "",
        "```json",
        orjson.dumps(told["choices"], option=orjson.OPT_INDENT_2).decode(),
        "```",
        "",
    ]
    lines += ["## Files", "", "| file | bytes | rows |", "|---|---:|---:|"]
    lines += [
        f"| `{file.path}` | {file.size_bytes:,} | {'' if file.rows is None else f'{file.rows:,}'} |"
        for file in files[:_LISTED]
    ]
    if len(files) > _LISTED:
        lines.append(f"| and {len(files) - _LISTED:,} more | | |")
    lines += ["", f"Their hashes are in `{manifest_name}`.", ""]
    return "\n".join(lines).encode()


def _front_matter(format_: Format, run: Run, files: Sequence[WrittenFile]) -> Iterator[str]:
    yield f"pretty_name: Export of conversations ({format_.name})"
    if format_.tags:
        yield "tags:"
        yield from (f"- {tag}" for tag in format_.tags)
    if format_.features is not None:
        yield from ("dataset_info:", f"  config_name: {_DEFAULT}", "  features:")
        yield from _features(format_.features(run.choices), "  ")
    configs = _configs(format_, files)
    if configs:
        yield "configs:"
    for name, parts in configs.items():
        yield from (f"- config_name: {name}", "  data_files:")
        for split, path in parts:
            yield from (f"  - split: {split}", f"    path: {orjson.dumps(path).decode()}")


def _configs(format_: Format, files: Sequence[WrittenFile]) -> dict[str, list[tuple[str, str]]]:
    """Return what a reader can load, by name: each split with its files.

    What is not named here is not read: a reader would take the manifest for data. It refuses a split without a row,
    unless nothing else is there.
    """
    data = [file for file in files if file.rows] or [file for file in files if file.rows is not None]
    found: dict[str, list[tuple[str, str]]] = {}
    if format_.data is not None:
        folders = [split for split in SPLITS if any(file.path.startswith(f"{split}/") for file in files)]
        places = [(split, f"{split}/{format_.data}") for split in folders]
        return {_DEFAULT: places or [(SPLITS[0], format_.data)]}
    for file in data:
        table, _, split = file.path.partition(".")[0].partition("-")
        if format_.kind == "lines":
            found.setdefault(_DEFAULT, []).append((table if table in SPLITS else SPLITS[0], file.path))
        elif file.path.endswith(".parquet"):
            name = table if len(format_.schemas) > 1 else _DEFAULT
            found.setdefault(name, []).append((split or SPLITS[0], file.path))
    return found


def _features(columns: Iterable[pa.Field], indent: str) -> Iterator[str]:
    """Yield columns as the library ``datasets`` writes them into a card."""
    for column in columns:
        yield f"{indent}- name: {column.name}"
        if pa.types.is_list(column.type) and not pa.types.is_struct(column.type.value_type):
            yield f"{indent}  list: {_dtype(column.type.value_type)}"
        elif pa.types.is_list(column.type):
            yield f"{indent}  list:"
            yield from _features(column.type.value_type, f"{indent}  ")
        elif pa.types.is_struct(column.type):
            yield f"{indent}  struct:"
            yield from _features(column.type, f"{indent}  ")
        else:
            yield f"{indent}  dtype: {_dtype(column.type)}"


def _dtype(type_: pa.DataType) -> str:
    return "json" if type_ == JSON else str(type_)


def _counted(title: str, counts: dict[str, int]) -> list[str]:
    if not counts:
        return []
    return [
        f"## {title}",
        "",
        "| | |",
        "|---|---:|",
        *(f"| {name} | {count:,} |" for name, count in counts.items()),
        "",
    ]
