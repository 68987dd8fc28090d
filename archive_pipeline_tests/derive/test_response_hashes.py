"""Hashes of messages and of the ways to them: the golden vectors, the laws, and shapes of extreme length."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.derive.canonical import deterministic_options, media_identity
from archive_pipeline.derive.response_hashes import hash_messages
from archive_pipeline.domain.batch import ROOT
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.text.canonical_json import MAX_DEPTH, canonical_json
from archive_pipeline.text.normalization import nfc, text_forms
from archive_pipeline_tests.derive import reference_hashes
from archive_pipeline_tests.derive.batches import Medium, Row, Talk, Tool, batch_of, linear
from archive_pipeline_tests.trials import trials
from archive_pipeline_tests.variants import some_of
from archive_pipeline_tests.work import steps

VECTORS = json.loads((CHECKOUT / "docs" / "hash_vectors.json").read_text(encoding="utf-8"))


def tool_of(tool: dict[str, Any]) -> Tool:
    text = tool.get("output") if tool["is_result"] else tool.get("text")
    return Tool(tool["id"], tool["is_result"], tool.get("name"), tool.get("arguments"), text)


def row_of(message: dict[str, Any]) -> Row:
    media = tuple(
        Medium(medium["content_sha256"], medium["uri"], medium["name"], medium["tool_use_id"])
        for medium in message.get("media", [])
    )
    return Row(
        message["id"],
        message["parent"],
        message["role"],
        None if message.get("is_hidden") else message["text"] if message.get("text") else None,
        is_hidden=message.get("is_hidden", False),
        tools=tuple(map(tool_of, message.get("tools", []))),
        media=media,
        options=message.get("options"),
    )


def hashes_of(talk: Talk) -> dict[str, dict[str, Any]]:
    """The hashes of each canonical message of a dialogue, by the short ids of its rows."""
    batch = batch_of(talk)
    found = hash_messages(batch)
    short = {talk.message(row.id): row.id for row in talk.rows}
    names = [short[name] for name in batch.message_ids]

    def name_of(position: int) -> str | None:
        return None if position == ROOT else names[position]

    return {
        name: {
            "context_parent": name_of(found.canonical_parent[at]),
            "message_hash": found.message_hash[at],
            "context_hash": found.context_hash[at],
            "normalized_hash": found.normalized_hash[at],
            "parent_response": name_of(found.parent_response[at]),
            "prompt_path_hash": found.prompt_path_hash[at],
            "prompt_hash": found.prompt_hash[at],
            "path_hash": found.path_hash[at],
        }
        for at, name in enumerate(names)
        if found.is_canonical[at]
    }


def one(role: str, text: str | None = None, **more: Any) -> str:
    """The hash of a message alone."""
    return hashes_of(Talk("t", (Row("m", None, role, text, **more),)))["m"]["message_hash"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_golden_vectors(vector: dict[str, Any]):
    expected = {
        name: {key: value for key, value in found.items() if key != "canonical"}
        for name, found in vector["expected"].items()
    }
    assert hashes_of(Talk("t", tuple(map(row_of, vector["messages"])))) == expected


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_golden_vectors_follow_from_the_contract_alone(vector: dict[str, Any]):
    assert reference_hashes.hashes(vector["messages"]) == vector["expected"]


def test_preimages_byte_by_byte():
    def sha256(preimage: str) -> str:
        return hashlib.sha256(preimage.encode()).hexdigest()

    rows = (
        Row("s", None, "system", "Be\nkind"),
        Row("u", "s", "user", "Why?", media=(Medium(uri="http://x/é.png"),)),
        Row("a", "u", "assistant", tools=(Tool("c", name="f", input='{"b": 2.0, "a": "é"}'),)),
        Row("t", "a", "tool", tools=(Tool("c", is_result=True, text="42"),)),
        Row("z", "t", "assistant", "So.", options='{"temperature": 0, "max_tokens": 9}'),
    )
    found = hashes_of(Talk("t", rows))
    url = "url:" + sha256("http://x/é.png")
    call = '{"arguments":{"a":"é","b":2},"name":"f"}'
    canonical = {
        "s": '{"role":"system","text":"Be\\nkind"}',
        "u": f'{{"attachments":["{url}"],"role":"user","text":"Why?"}}',
        "a": f'{{"role":"assistant","tool_calls":[{call}]}}',
        "t": '{"role":"tool","tool_results":[{"name":"f","output":"42"}]}',
        "z": '{"role":"assistant","text":"So."}',
    }
    message = {name: sha256("llm-archive/message/1\n" + text) for name, text in canonical.items()}
    assert {name: row["message_hash"] for name, row in found.items()} == message
    context = ""
    for name in canonical:
        context = sha256(f"llm-archive/context/1\n{context}\n{message[name]}")
        assert found[name]["context_hash"] == context
    first = sha256(f"llm-archive/prompt/1\n{message['s']}\n{message['u']}\n")
    assert (found["a"]["prompt_hash"], found["a"]["path_hash"]) == (first, first)
    options = '{"max_tokens":9,"temperature":0}'
    second = sha256(f"llm-archive/prompt/1\n{message['t']}\n{call}\noptions:{options}\n")
    assert (found["z"]["prompt_hash"], found["z"]["path_hash"]) == (second, sha256(f"{first}:{second}"))
    normalized = sha256('llm-archive/normalized-context/1\n\n{"role":"system","text":"be kind"}')
    assert found["s"]["normalized_hash"] == normalized


def test_regenerations_followed_by_the_same_question_collide_in_path_but_not_in_context():
    rows = [Row("q", None, "user", "Q"), Row("a", "q", "assistant", "A"), Row("b", "q", "assistant", "B")]
    for branch in "ab":
        rows += [Row(f"q{branch}", branch, "user", "Next"), Row(f"z{branch}", f"q{branch}", "assistant", "Z")]
    found = hashes_of(Talk("t", tuple(rows)))
    assert found["a"]["path_hash"] == found["b"]["path_hash"]
    assert found["za"]["path_hash"] == found["zb"]["path_hash"] == found["qa"]["prompt_path_hash"]
    assert found["za"]["context_hash"] != found["zb"]["context_hash"]
    assert found["za"]["parent_response"] == "a"
    assert found["zb"]["parent_response"] == "b"


def test_the_same_path_has_the_same_hashes_in_a_tree_of_other_branches():
    alone = hashes_of(linear("t", ("user", "Q"), ("assistant", "A"), ("user", "R"), ("assistant", "B")))
    rows = (
        Row("x", None, "user", "another root"),
        Row("0", None, "user", "Q", time=9),
        Row("y", "0", "assistant", "another answer"),
        Row("1", "0", "assistant", "A", time=2),
        Row("2", "1", "user", "R", time=1),
        Row("3", "2", "assistant", "B"),
    )
    found = hashes_of(Talk("other", rows))
    assert {name: found[name] for name in alone} == alone


def test_a_call_of_another_branch_is_not_the_one_that_is_answered():
    rows = (
        Row("u", None, "user", "Q"),
        Row("a", "u", "assistant", tools=(Tool("c", name="one"),), time=1),
        Row("b", "u", "assistant", tools=(Tool("c", name="two"),), time=2),
        Row("ta", "a", "tool", tools=(Tool("c", is_result=True, text="r"),), time=4),
        Row("tb", "b", "tool", tools=(Tool("c", is_result=True, text="r"),), time=3),
    )
    found = hashes_of(Talk("t", rows))
    assert found["ta"]["message_hash"] == one("tool", tools=(Tool(None, is_result=True, name="one", text="r"),))
    assert found["tb"]["message_hash"] == one("tool", tools=(Tool(None, is_result=True, name="two", text="r"),))


@pytest.mark.parametrize(
    ("parent", "is_hidden"), [("u", False), ("a", True)], ids=["beside the call", "below a hidden call"]
)
def test_a_result_without_a_call_on_its_way_answers_none(parent: str, is_hidden: bool):
    rows = (
        Row("u", None, "user", "Q"),
        Row("a", "u", "assistant", tools=(Tool("c", name="one"),), time=1, is_hidden=is_hidden),
        Row("t", parent, "tool", tools=(Tool("c", is_result=True, text="r"),), time=2),
        Row("z", "t", "assistant", "Z", time=3),
        *(Row(f"x{at}", f"x{at - 1}" if at else "a", "user", "more", time=4 + at) for at in range(4)),
    )
    found = hashes_of(Talk("t", rows))
    assert found["t"]["message_hash"] == one("tool", tools=(Tool(None, is_result=True, text="r"),))
    lines = f"{found['u']['message_hash']}\n{found['t']['message_hash']}\n"
    assert found["z"]["prompt_hash"] == hashlib.sha256(f"llm-archive/prompt/1\n{lines}".encode()).hexdigest()


def test_ids_of_calls_do_not_count_but_what_was_called_does():
    def prompt(call: str, arguments: str) -> str:
        rows = (
            Row("a", None, "assistant", tools=(Tool(call, name="f", input=arguments),)),
            Row("t", "a", "tool", tools=(Tool(call, is_result=True, text="r"),)),
            Row("z", "t", "assistant", "Z"),
        )
        return hashes_of(Talk("t", rows))["z"]["prompt_hash"]

    assert prompt("c1", '{"x":1}') == prompt("c2", '{"x":1}') != prompt("c1", '{"x":2}')


@pytest.mark.parametrize("text", ["", None])
def test_a_message_without_anything_is_transparent(text: str | None):
    rows = (Row("s", None, "system", text), Row("u", "s", "user", "Q"))
    assert list(hashes_of(Talk("t", rows))) == ["u"]
    assert hashes_of(Talk("t", rows))["u"]["context_hash"] == hashes_of(linear("t", ("user", "Q")))["0"]["context_hash"]


def test_media_are_their_content_then_their_url_then_their_name():
    content = "ab" * 32
    assert media_identity(content, "http://x", "a.png") == content
    assert media_identity(None, "http://x", "a.png") == "url:" + hashlib.sha256(b"http://x").hexdigest()
    assert media_identity("", "", "a.png") == hashlib.sha256(b"a.png").hexdigest()
    assert media_identity(None, None, None) == hashlib.sha256(b"").hexdigest()
    same = [one("user", media=(Medium(content, name=name),)) for name in ("a.png", "b.png")]
    assert same[0] == same[1]
    assert one("user", media=(Medium(name="a"), Medium(name="b"))) != one(
        "user", media=(Medium(name="b"), Medium(name="a"))
    )


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (None, None),
        ("{}", None),
        ('{"temperature":0.7,"top_p":1,"seed":3,"stream":true}', None),
        ('{"temperature":0}', '{"temperature":0}'),
        ('{"temperature":-0.0}', '{"temperature":0}'),
        ('{"temperature":false}', None),
        ('{"temperature":"0"}', None),
        ('{"max_tokens":null,"max_output_tokens":5.0}', '{"max_tokens":5}'),
        ('{"stop":[],"temperature":0}', '{"temperature":0}'),
        ('{"stop":"END"}', '{"stop_sequences":["END"]}'),
        ('{"stop_sequences":["b","a"],"max_tokens":1}', '{"max_tokens":1,"stop_sequences":["b","a"]}'),
    ],
)
def test_only_deterministic_options_count(options: str | None, kept: str | None):
    assert deterministic_options(options) == kept


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ('{"b":[1.0,1e2,1E+2,100],"a":null}', '{"a":null,"b":[1,100,100,100]}'),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993.0", "9007199254740992"),
        ("[1e20,1e21,-1.5e300]", "[100000000000000000000,1e+21,-1.5e+300]"),
        ("[0.000001,1e-7,123.456e-9,5e-324]", "[0.000001,1e-7,1.23456e-7,5e-324]"),
        ("[-0,-0.0,0e9,333333333.33333329]", "[0,0,0,333333333.3333333]"),
        ('"\\u00e9\\u0041\\/\\u001f\\n\\u007f"', '"éA/\\u001f\\n\u007f"'),
        ('{"e\\u0301":1,"z":2}', '{"z":2,"é":1}'),
        ('{"a":1,"a":2}', '{"a":2}'),
        ('{"\\u00e9":1,"e\\u0301":2}', '{"é":1}'),
        ('"\\n\\u0301e\\u0301"', '"\\n\u0301é"'),
        ('{"n":1.0,"\\t\\u0308":"e\\u0301"}', '{"\\t\u0308":"é","n":1}'),
        (' [ 1 , "2.0" ] ', '[1,"2.0"]'),
        ("1e400", None),
        ("[NaN]", None),
        ('{"a":1', None),
        ("", None),
        ('["\\ud800"]', None),
        ('["\\ud800", 1.0]', None),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, "[" * MAX_DEPTH + "]" * MAX_DEPTH),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), None),
        ("[" * 100_000, None),
        ("[" + ",".join(["{}"] * MAX_DEPTH) + "]", "[" + ",".join(["{}"] * MAX_DEPTH) + "]"),
        ("1" * 5_000, "1" * 5_000),
    ],
    ids=lambda text: str(text)[:30],
)
def test_canonical_json(text: str, canonical: str | None):
    assert canonical_json(text) == canonical


STRINGS = st.text() | st.text('ne\n\t"\\\u0301\u0308\u0338é<', max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@given(VALUES, st.booleans())
@example(value=0.0, is_escaped=False)
@trials(60)
def test_canonical_json_is_that_of_the_contract_and_stays_as_it_is(value: Any, is_escaped: bool):
    text = json.dumps(value, ensure_ascii=is_escaped, indent=1)
    found = canonical_json(text)
    assert found == reference_hashes.encode(reference_hashes.decode(text))
    assert canonical_json(found) == found


# Letters that compose and decompose, change under case folding or are white space, beside plain ones.
CHARACTERS = "aB \n\t\x1c\u00a0\u3000éÉßİΣςΐᄀ日👍\u0301\u0308\u0345\u1161\u11a8\ufe0f\u09be\u09c7\u212b\u2126"


@pytest.mark.slow
@given(st.lists(st.text(CHARACTERS, max_size=8), max_size=4))
@trials(200)
def test_forms_of_texts_are_the_defined_ones(texts: list[str]):
    composed = [unicodedata.normalize("NFC", text) for text in texts]
    folded = [unicodedata.normalize("NFC", " ".join(text.casefold().split())) for text in composed]
    assert text_forms(texts) == (composed, folded)
    assert [nfc(text) for text in texts] == composed


def test_no_character_that_is_taken_for_inert_composes():
    second = set()
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            second.add(chr(int(parts[1], 16)))
    pairs = [character for character in second if not character.isascii()]
    assert len(pairs) > 50
    assert all(
        text_forms([f"e{character}"])[0] == [unicodedata.normalize("NFC", f"e{character}")] for character in pairs
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "roles", some_of([(("user", "assistant", "tool"),), (("user",),), (("assistant",),)]), ids="-".join
)
def test_a_long_path_takes_linear_work(roles: tuple[str, ...]):
    def work(count: int) -> int:
        rows = [
            Row(
                str(at),
                str(at - 1) if at else None,
                roles[at % len(roles)],
                "text",
                time=at,
                tools=(Tool("c", name="f"), Tool("c", is_result=True)),
            )
            for at in range(count)
        ]
        batch = batch_of(Talk("t", tuple(rows)))
        found: list[str] = []
        lines = steps(lambda: found.extend(hash_messages(batch).context_hash))
        assert len(set(found)) == count
        return lines

    assert work(8_000) < 9 * work(1_000)


def test_a_very_long_prompt_has_the_hash_of_its_text():
    text = "word " * 2_000_000 + "é"
    wanted = hashlib.sha256(f'llm-archive/message/1\n{{"role":"user","text":"{text}"}}'.encode()).hexdigest()
    assert one("user", text) == wanted
