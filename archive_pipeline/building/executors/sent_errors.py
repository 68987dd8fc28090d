"""Errors on their way from the process that met them to the one that decides by their type what to do."""

from __future__ import annotations

import os
import pickle
import traceback
from dataclasses import dataclass

import psycopg

from archive_pipeline.store.failures import is_systemic, is_transient, is_unavailable, reason_of, sqlstate_of


@dataclass(frozen=True, slots=True)
class SentError:
    """An error that can be pickled, whatever the error is.

    Attributes:
        content: the error, pickled.
        trace: where the other process met it.
    """

    content: bytes
    trace: str


def sent(error: BaseException) -> SentError:
    """Return what another process makes the error of.

    Drivers have errors that cannot be pickled, or come back without the code that says whose fault they are. In place
    of such a one goes an error that ``store.failures`` judges alike.
    """
    trace = f"in the process {os.getpid()}:\n{''.join(traceback.format_exception(error)).rstrip()}"
    return SentError(_pickled(error) or pickle.dumps(_like(error)), trace)


def received(error: SentError) -> BaseException:
    """Return an error that another process met; where it did is among its notes."""
    found: BaseException = pickle.loads(error.content)  # noqa: S301 (from a process that this one started)
    found.add_note(error.trace)
    return found


def _pickled(error: BaseException) -> bytes | None:
    try:
        content = pickle.dumps(error)
        back = pickle.loads(content)  # noqa: S301 (made here)
    except Exception:  # noqa: BLE001 - whatever a constructor lacks
        return None
    return content if _judged(back) == _judged(error) else None


def _judged(error: BaseException) -> tuple[type[BaseException], str, bool, bool]:
    return type(error), str(error), is_systemic(error), is_transient(error)


def _like(error: BaseException) -> BaseException:
    text = f"{type(error).__name__}: {reason_of(error)}"
    if is_unavailable(error):
        return psycopg.OperationalError(text)
    if isinstance(error, (MemoryError, OSError)):
        return type(error)(text) if type(error) in {MemoryError, OSError} else OSError(text)
    code = sqlstate_of(error)
    try:
        return psycopg.errors.lookup(code)(text)
    except KeyError:
        return RuntimeError(text)
