"""What a worker process answers: apart from ``worker``, which may be a main module, whose classes are others there."""

from __future__ import annotations

from dataclasses import dataclass

from archive_pipeline.building.executors.sent_errors import SentError
from archive_pipeline.building.tasks import Result


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a task.

    Attributes:
        outcome: its result, or its error.
        began: when, by the monotonic clock that all processes of a machine have in common.
        ended: when it was done.
    """

    outcome: Result | SentError
    began: float
    ended: float
