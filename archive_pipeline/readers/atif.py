"""Trajectories of agents in Harbor's interchange format (ATIF): steps of the user, the system and the agent.

A step of the agent is one answer with all of its calls; each result in its observation is a message of the tool behind
it. Trajectories of subagents that stand inside of one are dialogues of their own, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import (
    DialogueRecord,
    MessageRecord,
    PartRecord,
    PartType,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.chat_arrays.calls import flat_call
from archive_pipeline.readers.declaration import Evidence, Reader
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, joined
from archive_pipeline.readers.made_ids import MadeIds
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "atif"
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "agent": "assistant", "system": "system"}
_VERSION: Final = "ATIF-"
_STEPS: Final = "steps"
_CALLS: Final = "tool_calls"
_OBSERVATION: Final = "observation"
_RESULTS: Final = "results"
_CONTENT: Final = "content"
_INNER: Final = "subagent_trajectories"
# Of a trajectory that stood inside of another: its id, and that of the other.
_SUBAGENT: Final = "subagent_of"


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its steps and the version of the format that it names."""
    steps = value.get(_STEPS)
    if not isinstance(steps, list):
        return Evidence(0.0, "no steps")
    is_named = (as_text(value.get("schema_version")) or "").startswith(_VERSION)
    has_steps = any(map(_is_step, steps))
    if is_named and has_steps:
        return Evidence(1.0, "a schema_version of ATIF, and steps with a source")
    if is_named and not steps:
        return Evidence(0.6, "a schema_version of ATIF, without steps")
    if has_steps and isinstance(value.get("agent"), dict):
        return Evidence(0.9, "an agent, and steps with step_id, source and message")
    return Evidence(0.1 if is_named else 0.0, "steps, but none with step_id, source and message")


def _is_step(item: object) -> bool:
    step = as_object(item)
    source = step.get("source")
    return isinstance(source, str) and source in _ROLES and "step_id" in step and "message" in step


def read_trajectory(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a trajectory, or why it is none."""
    if not isinstance(value.get(_STEPS), list):
        return RejectedRecord(locator, "the trajectory has no 'steps', so no messages", "missing steps")
    warnings: Counter[str] = Counter()
    own = Fields(value)
    steps = own.take_items(_STEPS)
    unread = [step for step in steps if not isinstance(step, dict) and not is_empty(step)]
    warnings["malformed_message"] += len(unread)
    reader = _StepReader(as_text(as_object(value.get("agent")).get("model_name")), warnings)
    messages = tuple(message for step in steps if isinstance(step, dict) for message in reader.read(step))
    times = [message.created_at for message in messages if message.created_at is not None]
    own.put_back(_STEPS, unread)
    return DialogueRecord(
        source=SOURCE,
        source_id=_id(value),
        locator=locator,
        title=as_text(as_object(value.get("extra")).get("title")),
        created_at=min(times, default=None),
        updated_at=max(times, default=None),
        messages=messages,
        is_linear_source=True,
        parent_source_id=as_identifier(as_object(value.get(_SUBAGENT)).get("parent")),
        warnings=+warnings,
        source_json=own.fields_left(),
    )


def _id(value: Mapping[str, Any]) -> str | None:
    """Returns the id of a trajectory; one run and its subagents may have one session."""
    given = (as_object(value.get(_SUBAGENT)).get("id"), value.get("trajectory_id"), value.get("session_id"))
    return next(filter(None, map(as_identifier, given)), None)


def inner_trajectories(value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the trajectories of subagents inside of one, each without those inside of it, with its place."""
    waiting: list[tuple[str, str | None, Mapping[str, Any]]] = [("", _id(value), value)]
    seen = {None, _id(value), as_identifier(value.get("session_id"))}
    while waiting:
        above, parent, outer = waiting.pop()
        for number, item in enumerate(as_list(outer.get(_INNER))):
            if not isinstance(item, dict) or not isinstance(item.get(_STEPS), list):
                continue
            place = f"{above}.{_INNER}[{number}]"
            own = _id(item)
            if own in seen and parent is not None:
                own = f"{parent}-subagent-{number + 1}"
            seen.add(own)
            alone = {name: field for name, field in item.items() if name != _INNER}
            yield place, {**alone, _SUBAGENT: {"id": own, "parent": parent}}
            waiting.append((place, own, item))


class _StepReader:
    """Reads the steps of one trajectory, in their order: results bear the names of the tools called before."""

    def __init__(self, model: str | None, warnings: Counter[str]) -> None:
        self._model = model
        self._warnings = warnings
        self._tools: dict[str, str | None] = {}
        self._ids = MadeIds()

    def read(self, step: dict[str, Any]) -> Iterator[MessageRecord]:
        """Yields the message of a step, and one for each result in its observation."""
        fields = Fields(step)
        role = read_role(step.get("source"), _ROLES, self._warnings)
        own = self._ids.own(as_identifier(step.get("step_id")) or "step")
        if as_identifier(step.get("step_id")) == own:
            fields.take("step_id")
        if step.get("source") == role:
            fields.take("source")
        moment = read_timestamp(step.get("timestamp"), self._warnings)
        parts = tuple(self._parts(fields))
        results = self._results(fields)
        _pair(parts, results)
        model = fields.take_text("model_name") if role == "assistant" else None
        is_models = role == "assistant" and step.get("llm_call_count") != 0
        yield MessageRecord(
            source_id=own,
            parent_source_id=None,
            role=role,
            parts=parts,
            created_at=moment,
            model=model or (self._model if is_models else None),
            source=fields.rest(),
        )
        for number, result in enumerate(results, 1):
            yield MessageRecord(self._ids.own(f"{own}-result-{number}"), None, "tool", result, created_at=moment)

    def _parts(self, fields: Fields) -> Iterator[PartRecord]:
        """Takes what a step says, in the order in which it came about: thoughts, words, calls."""
        thoughts = fields.take_text("reasoning_content")
        if thoughts is not None:
            yield PartRecord(PartType.THINKING, thoughts, "reasoning_content")
        for item in fields.take_items("message"):
            yield from self._said(item)
        unread: list[Any] = []
        for item in fields.take_items(_CALLS):
            if isinstance(item, dict):
                yield self._call(Fields(item))
            elif not is_empty(item):
                self._warnings["malformed_call"] += 1
                unread.append(item)
        fields.put_back(_CALLS, unread)

    def _said(self, item: object) -> Iterator[PartRecord]:
        """Yields the part of a text, or of one piece of a message in several."""
        if isinstance(item, str):
            if item:
                yield PartRecord(PartType.TEXT, item, "message")
            return
        fields = Fields(item)
        kind = as_text(as_object(item).get("type")) or "none"
        text = fields.take_text("text") if kind == "text" else None
        if text is not None:
            fields.take("type")
            yield PartRecord(PartType.TEXT, text, kind, source=fields.rest())
        elif kind == "image":
            yield _image(as_object(item))
        elif not is_empty(item):
            self._warnings[f"unknown_part:{kind}"] += 1
            yield PartRecord(PartType.UNKNOWN, source_type=kind, source=item)

    def _call(self, call: Fields) -> PartRecord:
        part = flat_call(call, _CALLS, tool="function_name", call_id="tool_call_id")
        if part.tool_use_id is not None:
            self._tools[part.tool_use_id] = part.tool_name
        return part

    def _results(self, fields: Fields) -> list[tuple[PartRecord, ...]]:
        """Takes the results of an observation; what else it says stays in the step."""
        given = fields.take(_OBSERVATION)
        observation = Fields(given)
        items = observation.take_items(_RESULTS)
        results = [self._result(Fields(item)) for item in items if isinstance(item, dict)]
        observation.put_back(_RESULTS, [item for item in items if not isinstance(item, dict) and not is_empty(item)])
        left = observation.rest() if isinstance(given, dict) else given
        if not is_empty(left):
            fields.fields_left()[_OBSERVATION] = left
        return results

    def _result(self, result: Fields) -> tuple[PartRecord, ...]:
        call = result.take_identifier("source_call_id")
        if call is not None and call not in self._tools:
            self._warnings["unpaired_tool_result"] += 1
        parts = [part for item in result.take_items(_CONTENT) for part in self._said(item)]
        texts = [part for part in parts if part.part_type is PartType.TEXT]
        media = [part for part in parts if part.part_type is not PartType.TEXT]
        result.put_back(_CONTENT, [part.source for part in texts if part.source is not None])
        for part in media:
            part.tool_use_id = call
        whole = PartRecord(
            PartType.TOOL_RESULT,
            joined(part.text for part in texts),
            _RESULTS,
            tool_name=self._tools.get(call or ""),
            tool_use_id=call,
            source=result.rest(),
        )
        return (whole, *media)


def _pair(parts: tuple[PartRecord, ...], results: list[tuple[PartRecord, ...]]) -> None:
    """Lets the only result of a step be that of its only call, where agents leave out which it is of."""
    calls = [part for part in parts if part.part_type is PartType.TOOL_USE]
    if len(calls) != 1 or len(results) != 1:
        return
    for part in results[0]:
        part.tool_use_id = part.tool_use_id or calls[0].tool_use_id
    results[0][0].tool_name = results[0][0].tool_name or calls[0].tool_name


def _image(item: dict[str, Any]) -> PartRecord:
    origin = as_object(item.get("source"))
    return PartRecord(
        PartType.IMAGE,
        source_type="image",
        mime_type=as_text(origin.get("media_type")),
        uri=as_text(origin.get("path")),
        source=item,
    )


READER: Final = Reader(
    SOURCE,
    "Agent trajectories (ATIF, trajectory.json)",
    1,
    recognise,
    read_trajectory,
    inner=inner_trajectories,
    comes_in_exports=False,
)
