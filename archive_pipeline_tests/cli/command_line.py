"""Running `llm-archive` in this process, as the installed script does: the same entry, output and exit code."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from archive_pipeline.cli import main

# What the fixture `loaded` takes: the files.
Loaded = Callable[..., None]


@dataclass(frozen=True)
class Result:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one error line; the remarks around it may be as many as they like."""
        lines = [line for line in self.err.splitlines() if line.startswith("llm-archive: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err
        return lines[0].removeprefix("llm-archive: ")


@dataclass(frozen=True)
class CommandLine:
    """The commands on the archive of a home."""

    home: Path
    environment: Mapping[str, str]

    def __call__(self, *arguments: object, **environment: str) -> Result:
        """Run a command; ``environment`` is added to the archive's for it."""
        out = _stream()
        code, err = self.printing_to(out, *arguments, **environment)
        return Result(code, _text(out), err)

    def printing_to(self, out: io.TextIOWrapper, *arguments: object, **environment: str) -> tuple[int, str]:
        """Run a command with another standard output; return its exit code and what it said on standard error."""
        err = _stream()
        variables = {"COLUMNS": "200", **self.environment, "ARCHIVE_HOME": str(self.home), **environment}
        argv = ["llm-archive", *map(os.fspath, map(_argument, arguments))]
        code = 0
        with (
            patch.dict(os.environ, variables),
            patch.object(sys, "argv", argv),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
        return code, _text(err)


def _argument(value: object) -> str | os.PathLike[str]:
    return value if isinstance(value, os.PathLike) else str(value)


def _stream() -> io.TextIOWrapper:
    # As strict as standard output is: what cannot be encoded has to fail here as it would there.
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
