"""Chains of the results of tools."""

from __future__ import annotations

from archive_pipeline.derive.tool_results import chains_of_results


def test_chains_of_one_call_are_in_the_order_of_their_last_results():
    is_result = [part != 1 for part in range(1001)]
    assert chains_of_results({1000: 1, 70: 1}, is_result) == [(1, [70]), (1, [1000])]
