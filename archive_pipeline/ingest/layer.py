"""A layer: what one export says of a dialogue, when that was, and what its vintage could have said."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from archive_pipeline.domain.records import MessageRecord, PartType
from archive_pipeline.domain.vintages import Holds, Vintage, time_of, vintage
from archive_pipeline.ingest.prepare import PreparedDialogue, PreparedMessage

MEDIA: Final = frozenset({PartType.IMAGE, PartType.AUDIO, PartType.VIDEO, PartType.FILE})
WRITTEN: Final = frozenset({PartType.TEXT, PartType.CODE})
_SHOWN: Final = WRITTEN | MEDIA
_TO_EVERYBODY: Final = frozenset({None, "all"})
_FOR_THE_USER: Final = frozenset({None, "final"})


@dataclass(frozen=True)
class Layer:
    """What one export says of a dialogue.

    Attributes:
        rules: of its vintage.
        dialogue: the dialogue as the export has it.
        moment: when that was: what its vintage names, else its time, else that of its last message, else None.
        by_id: its messages by their source ids.
    """

    rules: Vintage
    dialogue: PreparedDialogue
    moment: datetime | None
    by_id: Mapping[str, PreparedMessage]

    @classmethod
    def of(cls, dialogue: PreparedDialogue) -> Layer:
        """Return the layer of a prepared dialogue."""
        record = dialogue.record
        by_id = {message.source_id: message for message in dialogue.messages}
        moment = time_of(record.vintage) or moment_of(dialogue)
        return cls(vintage(record.source, record.vintage), dialogue, moment, by_id)

    def without(self, names: Collection[str]) -> Layer:
        """Return the layer without some of its messages."""
        by_id = {name: message for name, message in self.by_id.items() if name not in names}
        return replace(self, dialogue=replace(self.dialogue, messages=tuple(by_id.values())), by_id=by_id)

    def only_repeats(self, name: str) -> bool:
        """Tell whether a message is there as a later one repeats it: not with its time, and what else comes with it."""
        return self.rules.repeats and self.by_id[name].record.created_at is None

    @property
    def has_parents(self) -> bool:
        """Whether it says what is above its first message, too."""
        return self.rules.has_parents and not self.dialogue.record.is_linear_source

    def is_after(self, other: Layer) -> bool:
        """Tell whether this is known to be of a later time than ``other``."""
        return is_after(self.moment, other.moment)

    def could_hold(self, message: PreparedMessage) -> bool:
        """Tell whether a message that is not in this layer would be if it had not been deleted."""
        return could_hold(self.rules, is_shown=is_shown(message.record))


def moment_of(dialogue: PreparedDialogue) -> datetime | None:
    """Return the time of a dialogue, or of its last message if it has none of its own."""
    times = (message.record.created_at for message in dialogue.messages)
    return dialogue.record.updated_at or max((time for time in times if time), default=None)


def is_after(moment: datetime | None, other: datetime | None) -> bool:
    """Tell whether a moment is known to be later than another."""
    return moment is not None and other is not None and moment > other


def could_hold(rules: Vintage, *, is_shown: bool) -> bool:
    """Tell whether exports of a vintage have each message, or each of those that are shown to everybody."""
    return rules.holds is Holds.ALL or (rules.holds is Holds.SHOWN and is_shown)


def is_shown(record: MessageRecord) -> bool:
    """Tell whether everybody is shown a message, as far as its export says."""
    return (
        record.role in ("user", "assistant")
        and not record.is_hidden
        and record.recipient in _TO_EVERYBODY
        and record.channel in _FOR_THE_USER
        and (bool(record.attachments) or any(part.part_type in _SHOWN for part in record.parts))
    )


def newest_first(moment: datetime | None, rules: Vintage) -> tuple[float, bool, bool, str]:
    """Return what layers are sorted by; at one time partial exports are first, then what has more."""
    seconds = moment.timestamp() if moment else float("-inf")
    return -seconds, not rules.is_partial, rules.holds is not Holds.ALL, rules.name
