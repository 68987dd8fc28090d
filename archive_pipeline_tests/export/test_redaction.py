"""Redaction: what is found and what is not, and placeholders."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator

import pytest
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.openai import OpenAIDetector
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.errors import ConfigurationError, ExportError, MissingExtraError
from archive_pipeline.export.redaction import rules
from archive_pipeline.export.redaction.account_numbers import has_luhn_digit, is_iban
from archive_pipeline.export.redaction.redactor import Redactor
from archive_pipeline.export.redaction.rules import (
    JSON_TOKENS,
    Span,
    finders,
    openai_keys,
    shaped_rules,
    word_finders,
)
from archive_pipeline.export.redaction.scripts import first_after, starts_after
from archive_pipeline.export.redaction.shapes import ShapedRule, Traits
from archive_pipeline_tests.export.labelled import WITH, WITHOUT
from archive_pipeline_tests.trials import trials

LABEL = re.compile("⟦(.*?)⟧", re.DOTALL)
PLACEHOLDER = re.compile(r"\[[A-Z]+-[0-9a-f]{8}\]")
EMAIL = "ann.lee@example.org"


def redactor() -> Redactor:
    return with_words("Mira", "Blue Harbour")


def with_words(*words: str) -> Redactor:
    return Redactor(finders(None), b"k" * 32, word_finders(words, []))


def test_precision_and_recall_of_the_labelled_texts():
    found = redactor()
    hits = misses = extra = 0
    for text in WITH:
        labelled = LABEL.findall(text)
        redacted = found.text(LABEL.sub(r"\1", text))
        missed = sum(value in redacted for value in labelled)
        misses += missed
        hits += len(labelled) - missed
        extra += max(len(PLACEHOLDER.findall(redacted)) - len(labelled), 0)
    extra += sum(len(PLACEHOLDER.findall(found.text(text))) for text in WITHOUT)
    assert hits / (hits + misses) >= 0.97, f"recall: {misses} of {hits + misses} missed"
    assert hits / (hits + extra) >= 0.95, f"precision: {extra} too many"


@pytest.mark.parametrize("text", WITH, ids=lambda text: text[:12].encode("ascii", "replace").decode())
def test_all_around_what_is_redacted_stays(text: str):
    redacted = redactor().text(LABEL.sub(r"\1", text))
    outside = [re.escape(piece) for piece in re.split("⟦.*?⟧", text, flags=re.DOTALL)]
    assert re.fullmatch(r"\[[A-Z]+-[0-9a-f]{8}\]".join(outside), redacted), redacted


def test_the_same_value_has_the_same_placeholder_and_another_key_another_one():
    found = redactor()
    one, other = (found.text(f"to {value}") for value in (EMAIL, "Ann.Lee@Example.org"))
    assert one == other
    assert found.text("to bob@example.org") != one
    assert Redactor(finders(None), b"x" * 32).text(f"to {EMAIL}") != one
    assert found.text(one) == one


@pytest.mark.parametrize("text", WITHOUT, ids=lambda text: text[:12].encode("ascii", "replace").decode())
def test_what_only_looks_private_stays(text: str):
    assert redactor().text(text) == text


@given(st.lists(st.sampled_from([*WITH, *WITHOUT]), max_size=4), st.text(max_size=20))
def test_nothing_is_left_to_find_whatever_stands_together(texts: list[str], between: str):
    found = redactor()
    redacted = found.text(LABEL.sub(r"\1", between.join(texts)))
    assert found.text(redacted) == redacted


@pytest.mark.parametrize("rule", shaped_rules(), ids=lambda rule: rule.pattern.pattern)
@trials(10)
@given(st.data())
def test_no_text_is_passed_over_in_which_a_pattern_finds_something(rule: ShapedRule, data: st.DataObject):
    text = data.draw(st.from_regex(rule.pattern))
    assert rule.may_find(Traits.of(text))


@pytest.mark.parametrize(
    ("pattern", "shortest"),
    [
        (rules._PREFIXED, rules._SHORTEST_PREFIXED),
        (rules._MORE_PREFIXED, rules._SHORTEST_MORE_PREFIXED),
    ],
)
@given(st.data())
def test_no_text_is_passed_over_in_which_a_known_prefix_stands(
    pattern: re.Pattern[str], shortest: int, data: st.DataObject
):
    assert Traits.of(data.draw(st.from_regex(pattern))).longest_word >= shortest


@given(st.text("ab/\\: \nrZ09é", max_size=4), st.sampled_from("AZ"))
def test_a_first_character_stands_where_something_may_start(before: str, first: str):
    place = re.compile(starts_after("A-Za-z0-9") + "[A-Z]")
    character = re.compile(first_after("[A-Z]", "A-Za-z0-9"))
    text = before + first
    assert [found.span() for found in place.finditer(text)] == [found.span() for found in character.finditer(text)]


@given(st.lists(st.sampled_from(["eyJ", "a", "é", "0123456789", ".", "-", "=", "+", " "]), max_size=30).map("".join))
def test_tokens_of_json_are_those_of_detect_secrets(text: str):
    (theirs,) = JwtTokenDetector.denylist
    own = [match.span() for match in JSON_TOKENS[1].finditer(text) if match[1]]
    assert own == [match.span() for match in theirs.finditer(text)]


@given(
    st.lists(
        st.sampled_from(["sk-", "T3BlbkFJ", "T3Blbk", "a1" * 10, "Z" * 19, "é", "_", "-", "q", " "]), max_size=30
    ).map("".join)
)
@example("sk-" + "a1" * 10 + "T3BlbkFJ" + "a1" * 10)
def test_keys_of_openai_are_those_of_detect_secrets(text: str):
    (theirs,) = OpenAIDetector.denylist
    assert [span[:2] for span in openai_keys(text)] == [match.span() for match in theirs.finditer(text)]


@pytest.mark.parametrize("mark", ["", "T3BlbkFJ"])
def test_a_long_word_of_many_beginnings_is_no_key_and_gone_through_once(mark: str):
    assert [*openai_keys("sk-" * 400_000 + mark)] == []


@pytest.mark.parametrize("pattern", JSON_TOKENS)
def test_a_long_word_of_many_beginnings_is_gone_through_once(pattern: re.Pattern[str]):
    assert [match.span() for match in pattern.finditer("eyJ" * 10_000)] == [(0, 30_000)]


def test_a_missing_package_is_told_before_anything_is_read(monkeypatch: pytest.MonkeyPatch):
    rules._detectors.cache_clear()
    monkeypatch.setitem(sys.modules, "detect_secrets.core.plugins.util", None)
    with pytest.raises(MissingExtraError, match="redaction"):
        finders(None)


def test_national_numbers_need_a_country():
    text = "Ruf mich an: 030 901820."
    assert Redactor(finders(None), b"k").text(text) == text
    for region in ("DE", "de"):
        assert Redactor(finders(region), b"k").text(text).startswith("Ruf mich an: [PHONE-")
    for region in ("UK", "Germany", ""):
        with pytest.raises(ConfigurationError, match="is no country with phone numbers"):
            finders(region)


KEY = "dapi" + "0123456789abcdef" * 2
BESIDE = [
    "我的邮箱是{}并在主题中注明您的姓名和学号以便我们能够及时处理您的申请谢谢",
    "これは" * 30 + "{}です",
    "คือ{}ครับ",
    "내{}는",
    "هو{}",
]


@pytest.mark.parametrize("text", [*BESIDE, "_{}_", "__{}__", "line\\n{}\\nline"])
@pytest.mark.parametrize("value", [EMAIL, "müller@beispiel.de"])
def test_addresses_are_found_in_scripts_without_blanks_in_emphasis_and_behind_escapes(text: str, value: str):
    before, after = map(re.escape, text.split("{}"))
    redacted = redactor().text(text.format(value))
    assert re.fullmatch(rf"{before}\[EMAIL-[0-9a-f]{{8}}\]{after}", redacted), redacted


@pytest.mark.parametrize("text", [*BESIDE, "line\\n{}\\nline", "({})"])
@pytest.mark.parametrize(
    "value",
    [KEY, "gl" + "pat-abcdefghij1234567890", "np" + "m_" + "abcdefghi1" * 3 + "abcdef", "DE89370400440532013000"],
)
def test_keys_and_accounts_are_found_in_scripts_without_blanks_and_behind_escapes(text: str, value: str):
    assert PLACEHOLDER.sub("{}", redactor().text(text.format(value))) == text


@pytest.mark.parametrize("text", ["Lee,{},12/27,123", "7,{}", '["a",{},{}]'])
def test_card_numbers_are_found_in_lists(text: str):
    value = "4111111111111111"
    assert PLACEHOLDER.sub(value, redactor().text(text.replace("{}", value))) == text.replace("{}", value)
    assert value not in redactor().text(text.replace("{}", value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("paid 1,3456 {}", "5555-5555-5555-4444"),
        ("Lee,2024 {}, again", "4111111111111111"),
        ("code\\nNR12 {}", "GB82WEST12345698765432"),
        ("NR12 {}", "DE89 3704 0044 0532 0130 00"),
    ],
)
def test_what_looks_like_a_beginning_hides_no_value(text: str, value: str):
    assert PLACEHOLDER.sub("{}", redactor().text(text.format(value))) == text


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\u00a0", "\u2009", "\u3000"])
def test_a_key_is_found_between_blanks_of_any_script(blank: str):
    value = "AK" + "Cp5aB3dE5gH7jK9mN2"
    assert value not in redactor().text(f"the key{blank}{value}{blank}next")


@pytest.mark.parametrize("text", ['secret_swordfish = "swordfish"', 'db_password_hunter = "hunter"'])
def test_a_value_is_found_that_its_name_has_too(text: str):
    value = text.split('"')[1]
    assert value not in redactor().text(text)


@pytest.mark.parametrize("text", ["2019 2020 2021 2022 2023 2024 2025 2026", "1,2345 3456 4567 5678 6789 7890"])
def test_lists_of_short_numbers_stay(text: str):
    assert redactor().text(text) == text


@pytest.mark.parametrize(
    ("word", "text", "left"),
    [
        ("田中", "田中さんに連絡して、田中へ", "{}さんに連絡して、{}へ"),
        ("김철수", "김철수는", "{}는"),
        ("أحمد", "وأحمد", "و{}"),
        ("Müller", "Mu\u0308ller, MÜLLER_2, müller99", "{}, {}_2, {}99"),
        ("Mu\u0308ller", "Müller", "{}"),
        ("Müller", '{"name": "M\\u00fcller", "other": "M\\u00DCLLER"}', '{"name": "{}", "other": "{}"}'),
        ("Müller", "我是Müller的", "我是{}的"),
        ("Ann Lee", "Ann  Lee, Ann\nLee, ann\u00a0lee, ann_lee, Ann%20Lee, ann.lee", "{}, {}, {}, {}, {}, {}"),
        ("ann", "_Ann_ and line\\nAnn, no channel, no Annalena", "_{}_ and line\\n{}, no channel, no Annalena"),
        ("4711", "x4711y, 14711, 47112", "x{}y, 14711, 47112"),
        ("Straße", "STRASSE", "{}"),
        ("O'Brien", "O\u2019Brien", "{}"),
        ("C++", "C++ and C", "{} and C"),
    ],
)
def test_own_words_are_found_as_texts_have_them(word: str, text: str, left: str):
    found = with_words(word)
    assert PLACEHOLDER.sub("{}", found.text(text)) == left


def test_an_own_word_is_found_that_stands_apart_only_from_a_placeholder():
    assert PLACEHOLDER.sub("{}", with_words("ann").text("annsk-ant-" + "a1" * 15)) == "{}{}"


def test_an_own_word_has_one_placeholder_composed_or_decomposed():
    found = with_words("Müller")
    assert found.text("Müller") == found.text("Mu\u0308ller") == found.text("MÜLLER")


def test_checksums():
    assert is_iban("DE89370400440532013000")
    assert not is_iban("DE88370400440532013000")
    assert has_luhn_digit("4111111111111111")
    assert not has_luhn_digit("4111111111111112")


def test_values_are_redacted_to_their_leaves():
    value = {"to": [EMAIL, 4111111111111111, 7, True, None], f"key {EMAIL}": {"deep": f"x {EMAIL}"}}
    text = json.dumps(redactor().value(value))
    assert EMAIL not in text
    assert "4111111111111111" not in text
    assert redactor().value(value["to"])[2:] == [7, True, None]


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("api_key", "q9w8e7r6t5y4u3i2", "{}"),
        ("DB_PASSWORD", "correcthorsebattery", "{}"),
        ("password", "tr0ub4dor&3 'x'", "{}"),
        ("token", 'ab12cd34"x', "{}"),
        ("password", 48151623, "{}"),
        ("accessToken", ["abc", "$TOKEN"], ["{}", "$TOKEN"]),
        ("secret", {"value": "hunter", EMAIL: [7.5, True, None, ""]}, {"value": "{}", "{}": ["{}", True, None, ""]}),
        ("password", "half \ud800", "{}"),
        ("password_hint", 'abcdef"ghi', "{}"),
        ("token_count", 12345678, 12345678),
        ("authorization", "bearer abcdefghij0123456789", "bearer {}"),
        ("keyword", "hello world 12", "hello world 12"),
        ("text", "q9w8e7r6t5y4u3i2", "q9w8e7r6t5y4u3i2"),
    ],
)
def test_a_field_named_like_a_secret_is_one_in_values_as_in_texts(name: str, value: object, left: object):
    redacted = redactor().value({"with": [{name: value}]})
    assert json.loads(PLACEHOLDER.sub("{}", json.dumps(redacted["with"][0][name]))) == left
    assert redactor().text(json.dumps(redacted)) == json.dumps(redacted)
    assert redactor().value(redacted) == redacted


def test_a_secret_has_one_placeholder_in_fields_and_texts():
    found = redactor()
    assert found.text("DB_PASSWORD=48151623") == f"DB_PASSWORD={found.value({'password': 48151623})['password']}"
    assert found.counts == {"SECRET": 2}
    assert found.text("password='Hunter22x'") != found.text("password='hunter22x'")


def test_a_rule_that_never_ends_stops_the_export():
    def always(text: str) -> Iterator[Span]:
        yield Span(0, 0, "NONE")
        if not text.endswith("!" * 50):
            yield Span(len(text) - 1, len(text), "X")

    def grows(text: str) -> Iterator[Span]:
        yield from (Span(match.start(), match.end(), "a b") for match in re.finditer("[0-9a-f]$|]$", text))

    with pytest.raises(ExportError, match="nothing was written"):
        Redactor([grows, always], b"k").text("a")
