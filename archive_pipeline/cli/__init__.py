"""The command line ``llm-archive``. Commands parse and print; the work is in the packages below.

What the entry point needs is imported within it: Ctrl-C is one line from the first import on.
"""

from __future__ import annotations

import codecs
import io
import sys
from typing import NoReturn

EXIT_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line; every expected error is one line and an exit code, never a traceback."""
    try:
        code = _run()
    except KeyboardInterrupt:
        sys.stderr.write("llm-archive: interrupted; what was committed stays, run the command again to go on\n")
        code = EXIT_INTERRUPTED
    sys.exit(code)


def _run() -> int:
    import warnings  # noqa: PLC0415 (see above)

    import click  # noqa: PLC0415

    from archive_pipeline.cli.commands import llm_archive  # noqa: PLC0415
    from archive_pipeline.errors import ArchiveError  # noqa: PLC0415
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
        if not isinstance(error, ArchiveError):
            raise
        from archive_pipeline.cli.output import EXIT_FAILED, fail  # noqa: PLC0415

        fail(str(error))
        return EXIT_FAILED
    return code if isinstance(code, int) else 0


def _is_of_interrupt(error: BaseException | None) -> bool:
    """Tell whether an error came of Ctrl-C: a driver that it stops in a statement cannot roll back at once."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _print_any_character() -> None:
    """Let output in another encoding than UTF-8 have a question mark for what it cannot say; JSON escapes that."""
    if isinstance(sys.stdout, io.TextIOWrapper) and codecs.lookup(sys.stdout.encoding).name != "utf-8":
        sys.stdout.reconfigure(errors="replace")
