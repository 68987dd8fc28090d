"""The ids of messages: Zed gives them to prompts alone. What follows a prompt is named by it and its number behind."""

from __future__ import annotations

from archive_pipeline.readers.made_ids import MadeIds


class MessageIds:
    """Gives the messages of one thread their ids, in their order.

    Args:
        thread: the id of the thread; None if that is not known.
    """

    def __init__(self, thread: str | None) -> None:
        self._thread = thread
        self._before = thread
        self._behind = 0
        self._made = MadeIds(second=1)

    def of_prompt(self, said: str | None) -> str | None:
        """Returns the id of a prompt, which says one."""
        if said is None:
            return self.next()
        self._before, self._behind = self._made.own(said), 0
        return self._before

    def numbered(self, number: int) -> str:
        """Returns the id of a message of an early version, which has a number in its thread."""
        return self._made.own(str(number) if self._thread is None else f"{self._thread}-{number}")

    def next(self) -> str | None:
        """Returns the id of what has none; None if nothing before it has one either."""
        if self._before is None:
            return None
        self._behind += 1
        return self._made.own(f"{self._before}-{self._behind}")


def beside(message: str | None, what: str) -> str | None:
    """Returns the id of what stands in a message and is one of its own."""
    return None if message is None else f"{message}-{what}"
