"""The entries of an answer as parts: texts, thoughts, calls of tools, edits of files, and what VS Code says between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import PartRecord, PartType
from archive_pipeline.readers.copilot_chat.calls import CALL, Calls
from archive_pipeline.readers.copilot_chat.questions import PLAN, QUESTIONS, plan_part, questions_part
from archive_pipeline.readers.copilot_chat.texts import Passage, take_markdown
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_object, as_text, joined
from archive_pipeline.readers.vscode_places import address_of

# Entries that say nothing by themselves: marks, buttons, changes whose content is elsewhere, what a call repeats.
_SILENT: Final = frozenset(
    {
        *("undoStop", "codeblockUri", "prepareToolInvocation", "command", "clearToPreviousToolInvocation", "treeData"),
        *(
            "mcpServersStarting",
            "multiDiffData",
            "workspaceEdit",
            "externalEdit",
            "externalEdits",
            "extensions",
            "move",
        ),
        *("autoModeResolution", "disabledClaudeHooks", "voiceProgress", "notebookEditGroup", "inlineReference"),
    }
)
# What VS Code says or asks, by the fields that have its texts.
_SHOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "progressMessage": ("content",),
    "progressTask": ("content",),
    "progressTaskSerialized": ("content",),
    "systemNotification": ("content",),
    "warning": ("content",),
    "info": ("content",),
    "confirmation": ("title", "message"),
    "elicitation": ("title", "message"),
    "elicitationSerialized": ("title", "subtitle", "message"),
    "pullRequest": ("title", "description"),
    "hook": ("systemMessage", "stopReason"),
}
_EDITS: Final = "textEditGroup"
_THOUGHT: Final = "thinking"


def answer_parts(entries: list[Any], calls: Calls, warnings: Counter[str]) -> tuple[list[PartRecord], dict[str, Any]]:
    """Returns the parts of an answer's entries, and the entries that are none by their numbers.

    What stands between two pieces of a text and says nothing does not end the text.
    """
    parts: list[PartRecord] = []
    silent: dict[str, Any] = {}
    passage = Passage()
    for number, entry in enumerate(entries):
        if passage.add(entry):
            continue
        if _is_silent(entry):
            if not is_empty(entry):
                silent[str(number)] = entry
            continue
        parts += [*passage.take(), *_parts(entry, calls, warnings)]
    return [*parts, *passage.take()], silent


def _is_silent(entry: object) -> bool:
    kind = as_object(entry).get("kind")
    is_folder = kind is None and isinstance(entry, dict) and "label" in entry and "uri" in entry
    return is_empty(entry) or is_folder or (isinstance(kind, str) and kind in _SILENT) or _is_no_text(entry)


def _is_no_text(entry: object) -> bool:
    """Tells Markdown without a text."""
    return isinstance(entry, dict) and "kind" not in entry and entry.get("value") == ""


def _parts(entry: Any, calls: Calls, warnings: Counter[str]) -> list[PartRecord]:
    kind = as_text(as_object(entry).get("kind")) or "none"
    if kind == CALL:
        return calls.parts(entry)
    if kind in _SHOWN:
        return [_shown(kind, Fields(entry))]
    if kind in _READ:
        return [_READ[kind](Fields(entry))]
    warnings[f"unknown_part:{kind}"] += 1
    return [PartRecord(PartType.UNKNOWN, source_type=kind, source=entry)]


def _shown(kind: str, fields: Fields) -> PartRecord:
    fields.take("kind")
    texts = [take_markdown(fields, (name,)) for name in _SHOWN[kind]]
    return PartRecord(PartType.CONTEXT, joined(texts), kind, source=fields.rest())


def _thought(fields: Fields) -> PartRecord:
    fields.take("kind")
    text = "".join(fields.take_texts("value")) or None
    return PartRecord(PartType.THINKING, text, _THOUGHT, source=fields.rest())


def _edits(fields: Fields) -> PartRecord:
    """Takes edits of a file: what they write is the text, and where stays."""
    fields.take("kind")
    texts: list[str] = []
    batches = [_batch(batch, texts) for batch in fields.take_items("edits")]
    fields.put_back("edits", batches)
    address = address_of(fields.fields_left().get("uri"))
    return PartRecord(PartType.ARTIFACT, "".join(texts) or None, _EDITS, uri=address, source=fields.rest())


def _batch(batch: Any, texts: list[str]) -> Any:
    left: list[Any] = []
    for item in batch if isinstance(batch, list) else [batch]:
        edit = Fields(item)
        text = edit.take_text("text")
        texts += [text] if text is not None else []
        left.append(item if text is None else edit.rest())
    return left


_READ: Final[Mapping[str, Callable[[Fields], PartRecord]]] = {
    _THOUGHT: _thought,
    _EDITS: _edits,
    QUESTIONS: questions_part,
    PLAN: plan_part,
}
