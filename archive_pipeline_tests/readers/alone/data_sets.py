"""Conversations of one message, of datasets, traces and logs."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from archive_pipeline_tests.readers.alone.case import Case, seeded
from benchmarks.fuzz import (
    atif,
    chat_arrays,
    instructions,
    llm,
    llm_spans,
    oasst,
    openai_messages,
    session_trace,
    sharegpt,
)
from benchmarks.fuzz.marks import Marks


def openai_messages_alone(kind: int, form: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line of one message of a kind in a form, and the message."""
    random = seeded(f"{kind} {form}")
    makers = (*chat_arrays.MESSAGES, *openai_messages.MESSAGES)
    message = makers[kind % len(makers)](random, marks)
    return openai_messages.line(random, marks, form, [message]), message


def sharegpt_alone(kind: int, form: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A line of one turn of a speaker in a form, and the turn."""
    random = seeded(f"{kind} {form}")
    speakers = (*sharegpt.SPEAKERS, *sharegpt.CALLS)
    turn = sharegpt.turn(random, marks, speakers[kind % len(speakers)])
    return sharegpt.line(random, marks, form, [turn]), turn


def instructions_alone(kind: int, form: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A record in a form, which is all there is of its messages."""
    record = instructions.record(seeded(f"{kind} {form}"), marks, kind)
    return record, record


def oasst_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A tree of a prompt and a reply or, of the other kinds, messages that stand alone; and the last of them."""
    random = seeded(f"{kind} {role}")
    if not kind:
        tree = oasst.tree(random, marks)
        reply = {**oasst.message(random, marks, role), "replies": []}
        tree["prompt"] = {**oasst.message(random, marks, "prompter"), "replies": [reply]}
        return tree, reply
    messages = [oasst.ALONE[kind - 1](random, marks, each) for each in ("prompter", role)]
    return {"tree": marks.text(), "messages": messages}, messages[-1]


def session_trace_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A trace of one message with a block of a type, or of one line of another kind; and the line."""
    random = seeded(f"{kind} {role}")
    if role == "line":
        line = session_trace.LINES[kind](random, marks)
    else:
        line = session_trace.message(random, marks, role)
        line["message"]["content"] = [session_trace.BLOCKS[kind](random, marks)]
    return {"file": f"{marks.text()}.jsonl", "lines": [session_trace.header(random, marks), line]}, line


def atif_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A trajectory of one step that says a piece of a type, and whose result says it too; and the step."""
    random = seeded(f"{kind} {role}")
    step = atif.step(random, marks, role, 1)
    result = {"source_call_id": marks.text(), "content": [atif.PIECES[kind](random, marks)]}
    step |= {"message": [atif.PIECES[kind](random, marks)], "observation": {"results": [result]}}
    return {**atif.trajectory(random, marks, 0), "steps": [step]}, step


def llm_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with one part of a type or, without a role, of one response; and its tables."""
    random = seeded(f"{kind} {role}")
    tables: defaultdict[str, list[Any]] = defaultdict(list)
    if role:
        name = llm.message(random, marks, None, tables)
        tables["messages"][0]["role"] = role
        tables["parts"] = [llm.part(random, marks, name, 0, llm.PARTS[kind], tables)]
    else:
        llm.response(random, marks, marks.text(), tables)
    changed = dict(tables)
    return {"database": "llm", "conversation_id": marks.text(), "tables": changed}, changed


def llm_spans_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """Gathered spans of a call that is given one message with a part of a type, and the message."""
    random = seeded(f"{kind} {role}")
    said = llm_spans.message(random, marks, role)
    said["parts"] = [llm_spans.PARTS[kind](random, marks)]
    value = llm_spans.opentelemetry(random, marks, [said, llm_spans.message(random, marks, "assistant")])
    [gathered] = llm_spans.dialogues_in(value)
    return gathered, gathered["messages"][-2]


CASES: list[Case] = []
CASES += [("openai_messages", openai_messages_alone, kind, form) for kind, form in enumerate(openai_messages.FORMS)]
CASES += [("sharegpt", sharegpt_alone, kind, form) for kind, form in enumerate(2 * sharegpt.FORMS)]
CASES += [("instructions", instructions_alone, kind, form[0]) for kind, form in enumerate(instructions.FORMS)]
CASES += [("oasst", oasst_alone, kind, role) for kind in range(3) for role in ("prompter", "assistant")]
CASES += [
    ("session_trace", session_trace_alone, kind, role) for kind in range(4) for role in ("user", "assistant", "tool")
]
CASES += [("session_trace", session_trace_alone, kind, "line") for kind in range(3, 7)]
CASES += [("atif", atif_alone, kind, role) for kind in range(len(atif.PIECES)) for role in ("user", "agent")]
CASES += [("llm", llm_alone, kind, role) for kind in range(len(llm.PARTS)) for role in ("user", "assistant", "")]
CASES += [("llm_spans", llm_spans_alone, kind, role) for kind in (0, 2, 3, 5, 6, 9) for role in ("user", "tool")]
