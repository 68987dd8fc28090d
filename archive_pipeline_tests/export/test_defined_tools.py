"""Tools as sources define them: in every form that is known, instead of what calls tell of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.export.defined_tools import defined_tools
from archive_pipeline.export.run import Exported
from archive_pipeline.export.tool_specs import tool_specs
from archive_pipeline.export.turns import Call, Turn
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.export.rules import check_openai, check_sharegpt

PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Of the weather"}, "token": {"type": "string"}},
    "required": ["city"],
}
FUNCTION = {"name": "get_weather", "description": "Tells the weather", "parameters": PARAMETERS}
TOOL = {"type": "function", "function": FUNCTION}
OTHER = {"name": "unused", "description": "", "parameters": {"type": "object", "properties": {}}}
CALL = {"name": "get_weather", "arguments": {"city": "Ulm"}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([TOOL], [TOOL]),
        ([FUNCTION], [TOOL]),
        (json.dumps([FUNCTION]), [TOOL]),
        ([{"name": "get_weather", "description": "Tells the weather", "input_schema": PARAMETERS}], [TOOL]),
        ([{"type": "function", "name": "unused", "parameters": OTHER["parameters"]}], [{**TOOL, "function": OTHER}]),
        ([{"type": "function", "function": {"name": "unused"}}], [{**TOOL, "function": OTHER}]),
        ([{**OTHER, "parameters": {}}], [{**TOOL, "function": OTHER}]),  # it takes none
        ([{"type": "function", "name": "unused", "parameters": None}], [{**TOOL, "function": OTHER}]),
        ([{"name": "unused", "input_schema": {}, "function": None}], [{**TOOL, "function": OTHER}]),
        ([{**OTHER, "description": ["none"], "strict": "no"}], [{**TOOL, "function": OTHER}]),
        ([TOOL, {**FUNCTION, "description": "again"}], [TOOL]),
        ([{**FUNCTION, "name": "get weather", "strict": True}], [{**TOOL, "function": {**FUNCTION, "strict": True}}]),
        (
            [{**FUNCTION, "parameters": {"most": 1 << 70}}],
            [{**TOOL, "function": {**FUNCTION, "parameters": {"most": str(1 << 70)}}}],
        ),
        (["search"], []),
        ([{"name": "python", "uses": 3}, {"type": "web_search"}, None, {"function": "f"}], []),
        ([{**FUNCTION, "parameters": "none"}], []),
        ("[1, ", []),
        ("get_weather", []),
        (
            r'[{"name": "a\ud800", "parameters": {"type": "object"}}]',
            [{"type": "function", "function": {"name": "a_", "description": "", "parameters": {"type": "object"}}}],
        ),
        ({"search": True}, []),
        (None, []),
    ],
)
def test_definitions_are_read_in_each_form(value: Any, expected: list[Any]):
    assert defined_tools(json.dumps(value)) == expected


def test_what_is_called_but_not_defined_is_inferred():
    calls = [Call("1", "get_weather", '{"city":"Ulm"}'), Call("2", "add", '{"a":1}')]
    found = tool_specs([Turn("assistant", [0], None, None, calls=calls)], [TOOL])
    assert found[0] == TOOL
    assert [tool["function"]["name"] for tool in found] == ["get_weather", "add"]


@pytest.fixture
def weather(filled: Database, settings: Settings, tmp_path: Path) -> None:
    """A conversation of ShareGPT's form with a called and an unused tool, one of OpenAI's form, and a trajectory."""
    said = [
        {"from": "human", "value": "What is the weather in Ulm?"},
        {"from": "function_call", "value": json.dumps(CALL)},
        {"from": "observation", "value": "Sun."},
        {"from": "gpt", "value": "It is sunny."},
    ]
    sharegpt = {"conversations": said, "tools": json.dumps([FUNCTION, OTHER])}
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "How can I help?"}]
    openai = {"messages": messages, "tools": [TOOL]}
    steps = [
        {"step_id": 1, "source": "user", "message": "Go on"},
        {"step_id": 2, "source": "agent", "message": "I did."},
    ]
    agent = {"name": "ann", "version": "1", "tool_definitions": [TOOL]}
    atif = {"schema_version": "ATIF-v1.6", "session_id": "s", "agent": agent, "steps": steps}
    paths = [tmp_path / f"{name}.json" for name in ("sharegpt", "openai", "atif")]
    for path, value in zip(paths, ([sharegpt], [openai], atif), strict=True):
        path.write_text(json.dumps(value), encoding="utf-8")
    import_archive(filled, read_paths(paths))
    build_stale(filled, settings)


@pytest.mark.postgres
@pytest.mark.usefixtures("weather")
def test_exports_have_the_tools_that_sources_define(rows: Callable[..., list[dict[str, Any]]]):
    own = {**TOOL, "function": OTHER}
    [row] = rows("openai", sources=("sharegpt",))
    check_openai(row)
    assert row["tools"] == [TOOL, own]
    for source in ("openai_messages", "atif"):
        assert [row["tools"] for row in rows("openai", sources=(source,))] == [[TOOL]]
    [row] = rows("sharegpt", sources=("sharegpt",))
    check_sharegpt(row)
    assert json.loads(row["tools"]) == [FUNCTION, OTHER]
    for row in rows("trl-sft", sources=("sharegpt",), shape="prompt-completion"):
        assert json.loads(row["tools"]) == [TOOL, own]
    [row] = rows("trl-sft", sources=("sharegpt",), roles=("user", "assistant"))
    assert "tools" not in row


@pytest.mark.postgres
@pytest.mark.parametrize("tools", [[], "", [TOOL]])
def test_tools_and_functions_of_one_source_are_exported(
    rows: Callable[..., list[dict[str, Any]]], filled: Database, settings: Settings, tmp_path: Path, tools: Any
):
    messages = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "How can I help?"}]
    path = tmp_path / "openai.json"
    value = {"messages": messages, "tools": tools, "functions": [OTHER, FUNCTION]}
    path.write_text(json.dumps([value]), encoding="utf-8")
    import_archive(filled, read_paths([path]))
    build_stale(filled, settings)
    own = {**TOOL, "function": OTHER}
    assert [row["tools"] for row in rows("openai", sources=("openai_messages",))] == [
        [TOOL, own] if tools else [own, TOOL]
    ]


@pytest.mark.postgres
@pytest.mark.usefixtures("weather")
def test_redacted_exports_have_no_definitions_but_count_them(exported: Callable[..., Exported]):
    found = exported("openai", sources=("sharegpt",), redact=True)
    [row] = [json.loads(line) for line in (found.path / "data.jsonl").read_text(encoding="utf-8").splitlines()]
    [tool] = row["tools"]
    assert tool["function"]["description"] == ""
    assert list(tool["function"]["parameters"]["properties"]) == ["city"]
    assert found.manifest["left_out"] == {"definitions of tools, which cannot be redacted": 2}
