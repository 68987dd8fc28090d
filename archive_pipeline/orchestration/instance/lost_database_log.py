"""What Dagster's services log while the database cannot be reached: one line a minute, without tracebacks.

Each of the daemon's threads logs every attempt with two tracebacks, hundreds of lines a second. All other records are
logged as they are.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from archive_pipeline.store.failures import is_unavailable, reason_of

SECONDS_BETWEEN_LINES: Final = 60.0
_LINE: Final = "the database cannot be reached (%s); it is tried again, and this told once a minute"
# How the drivers and SQLAlchemy call it. Of what was serialised only names are left.
_NAMES: Final = frozenset({"DatabaseUnavailableError", "InterfaceError", "OperationalError"})


class LostDatabaseFilter(logging.Filter):
    """Lets one record a minute pass of those that say that the database cannot be reached, as one line.

    Args:
        now: returns the seconds of a clock that only goes on.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._told_at: float | None = None
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether to log a record, and shorten it if it is of a lost database."""
        reason = next(_reasons(record), None)
        if reason is None:
            return True
        with self._lock:
            now = self._now()
            if self._told_at is not None and now - self._told_at < SECONDS_BETWEEN_LINES:
                return False
            self._told_at = now
        record.msg, record.args = _LINE, (reason,)
        record.exc_info = record.exc_text = record.stack_info = None
        return True


def _reasons(record: logging.LogRecord) -> Iterator[str]:
    """Yield what was said of a lost database by the exception of a record and by its arguments."""
    arguments = record.args if isinstance(record.args, tuple) else ()
    for value in (*(record.exc_info or ())[1:2], *arguments):
        yield from _of_exception(value) if isinstance(value, BaseException) else _of_serialised(value)


def _of_exception(error: BaseException) -> Iterator[str]:
    link: BaseException | None = error
    while link is not None:
        if is_unavailable(link):
            yield reason_of(link)
        for serialised in getattr(link, "user_code_process_error_infos", ()):  # of a code server
            yield from _of_serialised(serialised)
        link = link.__cause__ or link.__context__


def _of_serialised(error: Any) -> Iterator[str]:
    """Yield what a ``SerializableErrorInfo`` says, if the argument is one; its message begins with its class."""
    while (name := getattr(error, "cls_name", None)) is not None:
        if name in _NAMES:
            yield error.message.partition(": ")[2].strip().split("\n")[0]
        error = error.cause


def filter_logs() -> None:
    """Filter what this process logs, by the loggers that there are and by those that are made later.

    A filter of a logger is not asked for records of the loggers below it, and handlers are replaced.
    """
    lost = LostDatabaseFilter()
    made_by: Any = logging.getLoggerClass()

    class FilteredLogger(made_by):  # type: ignore[misc]
        """A logger with the filter."""

        def __init__(self, name: str, level: int = logging.NOTSET) -> None:
            super().__init__(name, level)
            self.addFilter(lost)

    logging.setLoggerClass(FilteredLogger)
    made = (logger for logger in logging.root.manager.loggerDict.values() if isinstance(logger, logging.Logger))
    for logger in (logging.root, *made):
        logger.addFilter(lost)
