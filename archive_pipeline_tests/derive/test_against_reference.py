"""Every derived table equals its definition, for random forests: see ``reference``."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.derive.content_hashes import content_hashes
from archive_pipeline.derive.dialogue_trees import dialogue_trees
from archive_pipeline.derive.exchanges import exchanges
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.linear_sequences import linear_sequences
from archive_pipeline.derive.message_paths import message_paths
from archive_pipeline.derive.prompt_responses import prompt_responses
from archive_pipeline.derive.qa_pairs import qa_pairs
from archive_pipeline.derive.qa_turns import find_turns
from archive_pipeline.derive.response_hashes import response_hashes
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.domain.identity import row_id
from archive_pipeline_tests.derive import (
    reference,
    reference_exchanges,
    reference_hashes,
    reference_pairs,
    reference_texts,
)
from archive_pipeline_tests.derive.batches import batch_of, linear, random_batch
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.slow

many = trials(60)


def rows(frame: pd.DataFrame, key: str) -> dict[Any, dict[str, Any]]:
    """Return the frame's rows by their key, which has to be unique."""
    found = frame.to_dict("records")
    assert len({row[key] for row in found}) == len(found)
    return {row.pop(key): row for row in found}


def expected(batch: DialogueBatch, name: str) -> dict[Any, dict[str, Any]]:
    return {key: row for dialogue in reference.dialogues(batch) for key, row in getattr(dialogue, name)().items()}


@given(random_batch())
@many
def test_message_paths_say_where_each_message_is(batch: DialogueBatch):
    found = rows(message_paths(batch), "message_id")
    assert set(found) == set(batch.message_ids)
    for dialogue in reference.dialogues(batch):
        places = {m.id: (found[m.id].pop("tree_left"), found[m.id].pop("tree_right")) for m in dialogue.messages}
        runs = {m.id: (found[m.id].pop("run_left"), found[m.id].pop("run_parent_left")) for m in dialogue.messages}
        by_left = {left: name for name, (left, _) in places.items()}
        assert sorted(left for left, _ in places.values()) == list(range(len(places)))
        for message in dialogue.messages:
            left, right = places[message.id]
            inside = {other for other, (place, _) in places.items() if left <= place <= right}
            assert inside == dialogue.descendants(message) | {message.id}
            # Of the children of a message the largest comes first, then the others in the order of messages.
            children = dialogue.children(message.id)
            if children:
                largest = max(children, key=lambda child: len(dialogue.descendants(child)))
                others = [places[child.id][0] for child in children if child is not largest]
                assert [places[largest.id][0], *others] == sorted([places[largest.id][0], *others])
            # Climbing from run to run meets the ancestors, in at most log2(messages) + 1 pieces.
            above, pieces, (start, parent) = [], 1, runs[message.id]
            above += [by_left[place] for place in range(left - 1, start - 1, -1)]
            while parent is not None:
                top, pieces = parent, pieces + 1
                start, parent = runs[by_left[top]]
                above += [by_left[place] for place in range(top, start - 1, -1)]
            assert above[::-1] == [ancestor.id for ancestor in dialogue.ancestors(message)]
            assert 2 ** (pieces - 1) <= len(dialogue.messages)
    assert found == expected(batch, "message_paths")


@given(random_batch())
@many
def test_dialogue_trees_describe_the_shape(batch: DialogueBatch):
    assert dialogue_trees(batch).to_dict("records") == [dialogue.tree() for dialogue in reference.dialogues(batch)]


@given(random_batch())
@many
def test_there_is_one_sequence_a_leaf_and_one_primary_a_dialogue(batch: DialogueBatch):
    frame = linear_sequences(batch)
    found = rows(frame, "leaf_message_id")
    for leaf, row in found.items():
        assert row.pop("id") == row_id("sequence", leaf)
    assert found == expected(batch, "sequences")
    primaries = frame[frame["is_primary"].astype(bool)]["dialogue_id"].tolist()
    assert sorted(primaries) == sorted(dialogue.id for dialogue in reference.dialogues(batch) if dialogue.messages)


@given(random_batch())
@many
def test_prompt_responses_follow_the_seeds_rules(batch: DialogueBatch):
    frames = prompt_responses(batch)
    texts = rows(frames["prompt_response_content"], "prompt_response_id")
    found = rows(frames["prompt_responses"], "response_message_id")
    for response, row in found.items():
        assert row["id"] == row_id("prompt_response", response)
        row.update(texts.pop(row.pop("id")))
    assert texts == {}
    assert found == expected(batch, "prompt_responses")


def exchange_rows(batch: DialogueBatch) -> dict[tuple[str, str], dict[str, Any]]:
    frames = exchanges(batch)
    texts = rows(frames["exchange_content"], "exchange_id")
    found = rows(frames["exchanges"], "id")
    assert set(texts) == set(found)
    keys = {name: (row["first_message_id"], row["last_message_id"]) for name, row in found.items()}
    for name, row in found.items():
        assert name == row_id("exchange", row["last_message_id"])
        row.update(texts[name])
        row["continuation_of"] = keys.get(row.pop("continuation_of_id"))
        row["previous_exchange"] = keys.get(row.pop("previous_exchange_id"))
        del row["first_message_id"], row["last_message_id"]
        for time in ("started_at", "ended_at"):
            row[time] = None if pd.isna(row[time]) else row[time].value // 1000
    return {keys[name]: row for name, row in found.items()}


@given(random_batch())
@trials(120)
def test_exchanges_are_the_runs_of_all_paths(batch: DialogueBatch):
    wanted = {
        key: row
        for dialogue in reference.dialogues(batch)
        for key, row in reference_exchanges.exchanges(dialogue).items()
    }
    for row in wanted.values():
        del row["full_text"]  # generated by the database
    assert exchange_rows(batch) == wanted


@given(random_batch(), st.sampled_from([1, 2]))
@many
def test_content_hashes_are_those_of_the_texts(batch: DialogueBatch, version: int):
    wanted = {}
    simhash = reference_texts.seed_simhash if version == 1 else reference_texts.shingled_simhash
    for dialogue in reference.dialogues(batch):
        for kind, entity, scope, text in reference_exchanges.hashed_texts(dialogue):
            name = row_id("exchange", entity[1]) if kind == "exchange" else entity
            for normalization in Normalization:
                digest = reference_texts.sha256(reference_texts.normalized(text, normalization.value))
                key = (dialogue.id, kind, name, scope, normalization.value)
                wanted[key] = (digest, simhash(text), version)
    frame = content_hashes(batch, list(Normalization), version)
    names = ["dialogue_id", "entity_type", "entity_id", "hash_scope", "normalization"]
    values = ["hash_sha256", "hash_simhash", "simhash_version"]
    found = dict(
        zip(
            frame[names].itertuples(index=False, name=None),
            frame[values].itertuples(index=False, name=None),
            strict=True,
        )
    )
    assert len(found) == len(frame)
    assert found == wanted


@given(random_batch())
@many
def test_response_hashes_are_those_of_the_contract(batch: DialogueBatch):
    wanted = {}
    for index in range(len(batch.dialogue_ids)):
        wanted |= reference_hashes.hashes(reference_hashes.messages_of(batch, index))
    frames = response_hashes(batch)
    contexts, responses = (
        rows(frames["message_contexts"], "message_id"),
        rows(frames["response_hashes"], "response_message_id"),
    )
    own = dict(zip(batch.message_ids, batch.dialogue_of_message, strict=True))
    assert contexts == {
        name: {
            "dialogue_id": own[name],
            "context_parent_id": found["context_parent"],
            "context_hash": found["context_hash"],
            "normalized_hash": found["normalized_hash"],
            "prompt_path_hash": found["prompt_path_hash"],
        }
        for name, found in wanted.items()
    }
    assert responses == {
        name: {
            "dialogue_id": own[name],
            "parent_response_id": found["parent_response"],
            "prompt_hash": found["prompt_hash"],
            "response_hash": found["message_hash"],
            "path_hash": found["path_hash"],
            "context_hash": found["context_hash"],
        }
        for name, found in wanted.items()
        if found["path_hash"] is not None
    }


@given(random_batch(), st.sampled_from(["first", "final"]))
# Random batches seldom have a turn with several answers of which one is without text.
@example(batch_of(linear("d", ("user", "q"), ("assistant", "a"), ("assistant", None))), "final")
@example(batch_of(linear("d", ("user", "q"), ("assistant", None), ("assistant", None))), "final")
@trials(120)
def test_turns_are_those_of_every_path(batch: DialogueBatch, answer: Any):
    usable = [complete and not hidden for complete, hidden in zip(batch.is_complete, batch.is_hidden, strict=True)]
    turns = find_turns(
        forest_of(batch).order,
        batch.parent,
        [role if take else None for role, take in zip(batch.role, usable, strict=True)],
        [text is not None for text in batch.text],
        forest_of(batch).on_primary_path,
        answer=answer,
    )
    ids = batch.message_ids
    found = [(ids[turn.question], ids[turn.answer]) for turn in turns]
    assert len(set(found)) == len(found)
    every = [reference_pairs.turns(dialogue.paths(), answer) for dialogue in reference.dialogues(batch)]
    assert set(found) == {pair for pairs in every for pair in pairs}
    paths = [dialogue.primary_path() for dialogue in reference.dialogues(batch)]
    primary = {pair for path in paths for pair in reference_pairs.turns([path], answer)}
    marked = {(ids[turn.question], ids[turn.answer]) for turn in turns if turn.is_on_primary_path}
    assert marked == primary


@given(random_batch())
@many
def test_qa_pairs_are_turns_and_answered_calls(batch: DialogueBatch):
    frame = qa_pairs(batch)
    wanted: dict[str, tuple[Any, ...]] = {}
    for dialogue in reference.dialogues(batch):
        primary = reference_pairs.turns([dialogue.primary_path()], "final")
        for asked, answered in reference_pairs.turns(dialogue.paths(), "final"):
            question, answer = dialogue.by_id[asked], dialogue.by_id[answered]
            suffix = "" if (asked, answered) in primary else f"@{answer.number}"
            texts = (question.text or "", answer.text or "")
            name = f"{dialogue.id}:{question.number}{suffix}"
            wanted[name] = ("conversation_turn", question.number, answer.number, asked, *texts, "final", False)
        wanted.update({name: trace_row(dialogue, trace) for name, trace in reference_pairs.traces(dialogue).items()})
    columns = ["pair_type", "start_sequence_number", "end_sequence_number", "source_message_id", "question", "answer"]
    found = rows(frame, "pair_id")
    assert {
        name: (*(row[column] for column in columns), row["answer_rule"], row["is_error"]) for name, row in found.items()
    } == wanted
    for row in found.values():
        assert row["content_hash"] == reference_texts.pair_hash(row["question"], row["answer"])


def arguments_of(call: reference.ToolPart) -> str:
    """Return a call's arguments: the source's text, a JSON string's content, else the JSON (decision on pairs)."""
    said = json.loads(call.input) if call.input else None
    return call.text or (said if isinstance(said, str) else call.input) or "{}"


def trace_row(dialogue: reference.Dialogue, trace: reference_pairs.Trace) -> tuple[Any, ...]:
    call, last = trace.call, trace.results[-1]
    start, end = dialogue.by_id[call.message], dialogue.by_id[last.message]
    question = f"Tool: {call.name or 'unknown'}({arguments_of(call)})"
    texts = [result.text for result in trace.results if result.text and result.text.strip()]
    answer = "\n\n".join(texts) or "[No tool result content]"
    failed = any(result.is_error for result in trace.results)
    return ("trace_pair", start.number, end.number, start.id, question, answer, "tool_result", failed)
