"""The examples that stand in the seed documents themselves, run: diagrams, code of algorithms, snippets, tests."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from archive_pipeline.context_builder import ContextBuilder, ResearchContext, SourceDocument
from archive_pipeline.derive.dialogue_trees import dialogue_trees
from archive_pipeline.derive.exchanges import exchanges
from archive_pipeline.derive.linear_sequences import linear_sequences
from archive_pipeline.derive.message_paths import message_paths
from archive_pipeline.derive.prompt_responses import prompt_responses
from archive_pipeline.derive.response_hashes import response_hashes
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.qa_pairs import build_qa_pairs
from archive_pipeline.store.database import Database
from archive_pipeline.text.continuation import continuation_pattern
from archive_pipeline.text.normalization import normalize
from archive_pipeline.text.simhash import simhash_v1
from archive_pipeline_tests.derive.batches import Row, Talk, batch_of, linear
from archive_pipeline_tests.retrieval.context.library import Document, Search, result, store_of
from archive_pipeline_tests.tables import query

# Seed 000, "Tree Concepts".
TREE = Talk(
    "tree",
    (
        Row("Root", None, "system", "Be brief.", 0),
        Row("U1", "Root", "user", "Why?", 1),
        Row("A1a", "U1", "assistant", "Because.", 2),
        Row("A1b", "U1", "assistant", "So.", 3),
        Row("U2", "A1a", "user", "And then?", 4),
        Row("A2", "U2", "assistant", "Nothing.", 5),
    ),
)


def by_row(talk: Talk, frame: Any, key: str, *columns: str) -> dict[str, Any]:
    names = {talk.message(row.id): row.id for row in talk.rows}
    return {names[row[key]]: tuple(row[column] for column in columns) for row in frame.to_dict("records")}


def test_seed_000_the_tree_of_the_diagram():
    batch = batch_of(TREE)
    paths = by_row(TREE, message_paths(batch), "message_id", "depth", "is_leaf", "is_on_primary_path")
    assert paths == {
        "Root": (0, False, True),
        "U1": (1, False, True),
        "A1a": (2, False, True),
        "A1b": (2, True, False),
        "U2": (3, False, True),
        "A2": (4, True, True),
    }
    [tree] = dialogue_trees(batch).to_dict("records")
    assert (tree["total_nodes"], tree["max_depth"], tree["branch_count"], tree["leaf_count"]) == (6, 4, 1, 2)
    assert (tree["primary_leaf_id"], tree["primary_path_length"]) == (TREE.message("A2"), 5)
    assert (tree["has_regenerations"], tree["has_edits"]) == (True, False)
    sequences = by_row(
        TREE, linear_sequences(batch), "leaf_message_id", "sequence_length", "is_primary", "branch_reason"
    )
    assert sequences == {"A2": (5, True, "primary"), "A1b": (3, False, "regeneration")}


def test_seed_000_the_breadth_first_search_gives_the_same_paths():
    by_id = {row.id: row for row in TREE.rows}
    children_of = defaultdict(list)
    for row in TREE.rows:
        if row.parent:
            children_of[row.parent].append(row.id)
    queue: list[tuple[str, list[str]]] = [(row.id, []) for row in TREE.rows if row.parent is None]
    found = {}
    while queue:
        name, ancestors = queue.pop(0)
        found[name] = ancestors
        queue += [(child, [*ancestors, name]) for child in children_of[name]]
    batch = batch_of(TREE)
    names = {TREE.message(name): name for name in by_id}
    rows = sorted(message_paths(batch).itertuples(), key=lambda row: row.tree_left)
    own = {
        names[row.message_id]: [
            names[other.message_id] for other in rows if other.tree_left < row.tree_left <= other.tree_right
        ]
        for row in rows
    }
    assert own == found


def test_seed_000_the_exchanges_of_the_diagram():
    talk = linear(
        "exchanges",
        ("user", "Hello"),
        ("assistant", "Hi!"),
        ("user", "Explain X"),
        ("assistant", "[long response]"),
        ("user", "continue"),
        ("assistant", "[more]"),
    )
    frames = exchanges(batch_of(talk))
    first, second, third = frames["exchanges"].sort_values("path_position").to_dict("records")
    assert [row["is_continuation"] for row in (first, second, third)] == [False, False, True]
    assert third["continuation_of_id"] == second["id"]
    assert [row["merged_count"] for row in (first, second, third)] == [0, 1, 0]
    content = frames["exchange_content"].set_index("exchange_id").loc[second["id"]]
    assert (content["user_text"], content["assistant_text"]) == ("Explain X", "[long response]")
    assert (content["user_word_count"], content["total_word_count"]) == (2, 4)
    assert content["full_text_hash"] == hashlib.sha256(b"Explain X\n\n[long response]").hexdigest()


@pytest.mark.parametrize("text", ["continue", " Continue ", "go on", "keep going", "more", "elaborate", "\t \n"])
def test_seed_000_its_patterns_of_continuation(text: str):
    patterns = [r"^continue$", r"^go on$", r"^keep going$", r"^more$", r"^elaborate$", r"^\s*$"]
    assert any(re.match(pattern, text.strip().lower()) for pattern in patterns)
    assert continuation_pattern(text, has_other_content=False) is not None


def normalize_as_the_seed(text: str, normalization: str) -> str:
    if normalization == "lowercase":
        return text.lower()
    if normalization == "whitespace":
        return re.sub(r"\s+", " ", text).strip()
    if normalization == "full":
        # The seed's order, which leaves double spaces, is turned round (docs/decisions.md, Hashes).
        return re.sub(r"\s+", " ", re.sub(r"[^\w\s]", "", text.lower())).strip()
    return text


@pytest.mark.parametrize("normalization", list(Normalization))
@pytest.mark.parametrize("text", ["Hello,  World!", " a\n\nb\tc ", "Ünï — cödé", "x", "?!"])
def test_seed_000_its_normalisation(text: str, normalization: Normalization):
    assert normalize([text], normalization)[0].decode() == normalize_as_the_seed(text, normalization.value)


@pytest.mark.parametrize(
    "text", ["hello", "Hello, world!", "The quick brown fox jumps over the lazy dog.", "你好, 世界"]
)
def test_seed_000_its_simhash(text: str):
    votes = [0] * 64
    for token in text.lower().split():
        token_hash = int(hashlib.md5(token.encode(), usedforsecurity=False).hexdigest(), 16)
        for bit in range(64):
            votes[bit] += 1 if (token_hash >> bit) & 1 else -1
    assert simhash_v1(text) == format(sum(1 << bit for bit in range(64) if votes[bit] > 0), "016x")


# Seed 001, "Handling Regenerations".
STORY = Talk(
    "story",
    (
        Row("user", None, "user", "Write a story", 0),
        *(Row(f"v{number}", "user", "assistant", f"Once {number}.", number) for number in (1, 2, 3)),
    ),
)


def test_seed_001_three_regenerations_are_three_pairs_of_one_prompt():
    pairs = prompt_responses(batch_of(STORY))["prompt_responses"]
    assert set(pairs["prompt_message_id"]) == {STORY.message("user")}
    assert by_row(STORY, pairs, "response_message_id", "prompt_position", "response_position") == {
        "v1": (0, 1),
        "v2": (0, 2),
        "v3": (0, 3),
    }


def test_seed_001_a_parent_that_is_a_user_takes_precedence():
    talk = Talk(
        "parent",
        (
            Row("u1", None, "user", "First", 0),
            Row("u2", "u1", "user", "Second", 1),
            Row("a", "u1", "assistant", "To the first", 2),
            Row("system", "a", "system", "s", 3),
            Row("tool", "system", "tool", "t", 4),
            Row("b", "tool", "assistant", "After the tool", 5),
            Row("c", None, "assistant", "Without a parent", 6),
        ),
    )
    pairs = prompt_responses(batch_of(talk))["prompt_responses"]
    rules = by_row(talk, pairs, "response_message_id", "prompt_message_id", "pairing_rule")
    assert rules == {
        "a": (talk.message("u1"), "parent"),
        "b": (talk.message("u1"), "ancestor"),
        "c": (talk.message("u2"), "fallback"),
    }


PAIR_COLUMNS = """
    prompt_response_id dialogue_id prompt_message_id response_message_id prompt_text response_text
    prompt_word_count response_word_count prompt_role response_role prompt_position response_position
"""


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("view", "columns"),
    [
        (
            "prompt_response_content_v",
            PAIR_COLUMNS,
        ),
        ("prompt_exchanges", "prompt_message_id dialogue_id response_ids response_count has_regenerations prompt_text"),
    ],
)
def test_seed_001_its_views_have_its_columns(database: Database, view: str, columns: str):
    statement = (
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'derived' AND table_name = %s "
        "ORDER BY ordinal_position"
    )
    names = [name for (name,) in query(database, statement, view)]
    assert names[: len(columns.split())] == columns.split()


CRISIS = Document("abc123", "crisis.pdf", ["", "", "The financial crisis of 2008 was caused by subprime mortgages..."])
ECONOMICS = Document("def456", "economics.pdf", ["Subprime mortgages played a key role."])


def context_builder(results: list[dict[str, Any]], **options: Any) -> ContextBuilder:
    return ContextBuilder(Search(results), store_of(CRISIS, ECONOMICS), **options)


def test_seed_002_its_deduplication():
    results = [
        {"doc_id": "abc", "page": 1, "score": 0.95},
        {"doc_id": "abc", "page": 1, "score": 0.90},
        {"doc_id": "def", "page": 2, "score": 0.85},
    ]
    assert context_builder([]).deduplicate_results(results) == [results[0], results[2]]


def test_seed_002_its_citation_and_its_map():
    source = SourceDocument("abc123", "crisis.pdf", 3, "pdf", markdown_content=CRISIS.pages[2])
    citation = context_builder([]).format_source_citation(source, 1)
    assert citation == f"[Document 1: crisis.pdf, Page 3]\n{CRISIS.pages[2]}"
    other = replace(source, doc_id="def456", filename="doc2.pdf", page=5)
    context = ResearchContext(citation, [source, other], 20, truncated=False)
    assert context.get_citation_map() == {1: source, 2: other}


def test_seed_002_its_budget_of_ten_thousand_tokens():
    builder = context_builder([])
    sources = [
        SourceDocument("d", f"{number}.md", 1, "md", markdown_content="The canal opens in spring. " * 230)
        for number in range(12)
    ]
    kept = builder.truncate_to_budget(sources, max_tokens=10_000)
    assert kept == sources[:7]
    assert sum(builder.estimate_tokens(builder.format_source_citation(source, 1)) for source in kept) <= 10_000


def test_seed_002_its_flow_from_a_query_to_a_context():
    builder = context_builder([result(CRISIS, 3, 0.95), result(ECONOMICS, 1, 0.88), result(CRISIS, 3, 0.5)])
    context = asyncio.run(builder.build_context("What caused the 2008 financial crisis?", num_results=10))
    assert context.formatted_text == (
        f"[Document 1: crisis.pdf, Page 3]\n{CRISIS.pages[2]}\n\n"
        "[Document 2: economics.pdf, Page 1]\nSubprime mortgages played a key role."
    )
    assert ([source.relevance_score for source in context.sources], context.truncated) == ([0.95, 0.88], False)
    with pytest.raises(ValueError, match="not found"):
        asyncio.run(builder.get_source_metadata("abc123", 5))


def test_seed_003_two_jokes_have_one_prompt_and_two_responses_and_paths_are_chained():
    talk = Talk(
        "joke",
        (
            Row("q", None, "user", "Tell me a joke", 0),
            Row("a", "q", "assistant", "Why did chicken...", 1),
            Row("b", "q", "assistant", "What do you call...", 2),
            Row("q2", "a", "user", "Another one", 3),
            Row("c", "q2", "assistant", "Knock knock.", 4),
        ),
    )
    rows = response_hashes(batch_of(talk))["response_hashes"]
    found = by_row(talk, rows, "response_message_id", "prompt_hash", "path_hash", "response_hash")
    assert found["a"][:2] == found["b"][:2]
    assert found["a"][2] != found["b"][2]
    assert found["a"][1] == found["a"][0]  # root: path_hash = prompt_hash
    assert found["c"][1] == hashlib.sha256(f"{found['a'][1]}:{found['c'][0]}".encode()).hexdigest()


def test_seed_004_an_agent_s_turn_by_its_rules():
    messages = [
        {"id": "s", "role": "system", "content": "You help.", "sequence_number": 0},
        {"id": "u", "role": "user", "content": "Weather?", "sequence_number": 1},
        {
            "id": "a",
            "role": "assistant",
            "content": "Let me look.",
            "sequence_number": 2,
            "tool_calls": [{"id": "c", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}],
        },
        {"id": "t", "role": "tool", "content": "", "sequence_number": 3, "tool_call_id": "c"},
        {"id": "x", "role": "assistant", "content": "...", "sequence_number": 4, "state": "streaming"},
    ]
    turn, trace = build_qa_pairs(messages, "chat", "workspace", "session", answer="first")
    assert (turn.pair_id, turn.pair_type, turn.source_id) == ("chat:1", "conversation_turn", "u")
    assert (turn.question, turn.answer) == ("Weather?", "Let me look.")
    assert (trace.pair_id, trace.pair_type, trace.source_id) == ("chat:2:c", "trace_pair", "a")
    assert (trace.question, trace.answer) == ('Tool: weather({"city": "Oslo"})', "[No tool result content]")
    assert {(pair.workspace_id, pair.session_id) for pair in (turn, trace)} == {("workspace", "session")}
