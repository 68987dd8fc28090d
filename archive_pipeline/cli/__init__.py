"""The command line ``llm-archive``. Commands parse and print; the work is in the packages below.

What the entry point needs is imported within it: Ctrl-C is one line from the first import on.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import Final, NoReturn

EXIT_INTERRUPTED = 130
# Commands that write in several transactions: called again, they go on with what is left.
_GOING_ON: Final = (
    *("import", "build", "build_prompt_responses", "index", "partitions", "delete"),
    *("documents add", "documents remove", "documents encode", "db partition-tables"),
)
_UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def main() -> NoReturn:
    """Run the command line; every expected error is one line and an exit code, never a traceback."""
    try:
        code = _run()
    except KeyboardInterrupt:
        sys.stderr.write(f"llm-archive: interrupted{_what_is_left()}\n")
        code = EXIT_INTERRUPTED
    sys.exit(code)


def _run() -> int:
    from archive_pipeline.program import collect_seldom  # noqa: PLC0415 (see above)

    collect_seldom()
    import warnings  # noqa: PLC0415

    import click  # noqa: PLC0415

    from archive_pipeline.cli.commands import llm_archive  # noqa: PLC0415
    from archive_pipeline.store.home import private_umask  # noqa: PLC0415

    private_umask()
    _print_any_character()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what libraries tell their callers is nothing the user can act on
    try:
        code = llm_archive.main(prog_name="llm-archive", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except Exception as error:
        if _is_of_interrupt(error):
            raise KeyboardInterrupt from error
        return _failed(error)
    return code if isinstance(code, int) else 0


def _what_is_left() -> str:
    """Return what is said of an interrupted command's work; nothing of one that only reads."""
    called = " ".join([*sys.argv[1:3], ""])
    if called.startswith(tuple(f"{command} " for command in _GOING_ON)):
        return "; what was committed stays, run the command again to go on"
    return ""


def _failed(error: Exception) -> int:
    """Say in one line what was expected to fail and return the exit code; raise what was not."""
    from archive_pipeline.cli.output import EXIT_FAILED, fail  # noqa: PLC0415
    from archive_pipeline.errors import ArchiveError  # noqa: PLC0415

    if isinstance(error, OSError) and error.errno in _UNWRITABLE:
        _give_up_output()
        fail(f"cannot write{f' {error.filename}' if error.filename else ''}: {error.strerror}")
    elif isinstance(error, ArchiveError):
        fail(str(error))
    else:
        raise error
    return EXIT_FAILED


def _is_of_interrupt(error: BaseException | None) -> bool:
    """Tell whether an error came of Ctrl-C: a driver that it stops in a statement cannot roll back at once."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _give_up_output() -> None:
    """Let what could not be written go nowhere: Python tries once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _print_any_character() -> None:
    """Let output in another encoding than UTF-8 have a question mark for what it cannot say; JSON escapes that.

    Output that whoever called has closed goes nowhere, and input that is closed is at its end.
    """
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.FileIO(os.devnull), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")
    if isinstance(sys.stdout, io.TextIOWrapper) and codecs.lookup(sys.stdout.encoding).name != "utf-8":
        sys.stdout.reconfigure(errors="replace")
