"""Keys of providers are replaced whole, and each rule for them finds one."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.export.redaction.providers import PROVIDERS
from archive_pipeline.export.redaction.redactor import Redactor
from archive_pipeline.export.redaction.rules import finders
from archive_pipeline.export.redaction.shapes import ShapedRule, Traits
from archive_pipeline_tests.export.provider_keys import KEYS, WITHIN

_REDACTOR = Redactor(finders(None), b"k" * 32)
_PLACEHOLDER = r"\[SECRET-[0-9a-f]{8}\]"


@pytest.mark.parametrize("provider", KEYS)
def test_a_key_is_replaced_whole(provider: str):
    for key in KEYS[provider]:
        redacted = _REDACTOR.text(f"the one that works: {key} (I think)")
        assert re.fullmatch(rf"the one that works: {_PLACEHOLDER} \(I think\)", redacted), key


@pytest.mark.parametrize("where", WITHIN)
def test_only_the_key_is_replaced_in_what_it_stands_in(where: str):
    before, key, after = re.split("[⟦⟧]", WITHIN[where])
    redacted = _REDACTOR.text(before + key + after)
    assert re.fullmatch(re.escape(before) + _PLACEHOLDER + re.escape(after), redacted)


def test_each_rule_finds_one_of_the_keys():
    texts = [*itertools.chain(*KEYS.values()), *(re.sub("[⟦⟧]", "", text) for text in WITHIN.values())]
    for rule in PROVIDERS:
        assert any(rule.pattern.search(text) for text in texts), rule.pattern.pattern


@given(st.sampled_from(PROVIDERS), st.data())
def test_no_text_is_passed_over_in_which_a_rule_finds_something(rule: ShapedRule, data: st.DataObject):
    # A key of Facebook is one only where the name stands too.
    text = f"{data.draw(st.from_regex(rule.pattern))} facebook"
    assert rule.may_find(Traits.of(text))
