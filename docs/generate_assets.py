"""Writes ``docs/reference/assets.md`` from the recorded definitions of the code location. Run by ``make docs``."""
# ruff: noqa: INP001 (a folder of documents, not a package)

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

TARGET: Final = Path(__file__).parent / "reference" / "assets.md"
DEFINITIONS: Final = (
    Path(__file__).resolve().parents[1] / "archive_pipeline_tests" / "orchestration" / "definitions.json"
)
HEAD: Final = """\
# Assets, jobs and automation

Written by `make docs` from Dagster's definitions; not edited by hand. [Architecture](../architecture.md#assets) says
what each asset is built on and why.
"""


def document() -> str:
    """Return the text of the file."""
    definitions = json.loads(DEFINITIONS.read_text(encoding="utf-8"))
    sections = [_assets(definitions), _jobs(definitions["jobs"]), _automation(definitions)]
    return "\n".join([HEAD, *(line for section in sections for line in section)])


def _assets(definitions: dict[str, Any]) -> Iterator[str]:
    for name, asset in definitions["assets"].items():
        yield f"## {name}\n\n{asset.get('description', '')}\n"
        yield from _facts(asset)
        checks = [
            f"- check `{title.split(': ')[1]}`: {check['description']}"
            for title, check in definitions["checks"].items()
            if title.split(": ")[0] == name
        ]
        yield from [*checks, ""] if checks else []


def _facts(asset: dict[str, Any]) -> Iterator[str]:
    partitions = asset.get("partitions", "none").removeprefix("DynamicPartitionsDefinition ")
    yield f"- group: {asset.get('group', 'default')}; partitions: {partitions}"
    if asset.get("deps"):
        yield f"- built on: {', '.join(f'`{dependency}`' for dependency in asset['deps'])}"
    for field, value in asset.get("config", {}).items():
        yield f"- configuration `{field}`: {value}"
    yield ""


def _jobs(jobs: dict[str, Any]) -> Iterator[str]:
    yield "## Jobs\n\n| job | what it does |\n|---|---|"
    for name, job in jobs.items():
        if not name.startswith("__"):
            yield f"| `{name}` | {job['description']} |"
    yield ""


def _automation(definitions: dict[str, Any]) -> Iterator[str]:
    yield "## Sensors and schedules\n\n| name | when | what it does |\n|---|---|---|"
    for name, sensor in definitions["sensors"].items():
        yield f"| `{name}` | every {sensor['minimum_interval_seconds']} s | {sensor['description']} |"
    for name, schedule in definitions["schedules"].items():
        yield f"| `{name}` | `{schedule['cron']}` {schedule['timezone']} | {schedule['description']} |"
    yield ""


def main() -> None:
    """Write the file."""
    TARGET.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
