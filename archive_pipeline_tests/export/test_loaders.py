"""Exports in the hands of those who read them: their own loaders, against what SQL says is in the archive.

`datasets`, pandas and DuckDB are development tools of the project. The tests of `trl` and `teich` run where these are
installed (CONTRIBUTING.md says how, without torch).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.run import Exported, export
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.export.dialogues import BLACK, GREEN, STEEP, tools
from archive_pipeline_tests.export.rules import check_openai, check_sharegpt
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

Export = Callable[..., Exported]

SPLIT = Choices(splits=(0.5, 0.25, 0.25))
# Who said how much that is shown, along the primary paths.
SAID = """
    SELECT m.role, count(*)
    FROM raw.messages AS m
    JOIN derived.message_paths AS p ON p.message_id = m.id
    WHERE p.is_on_primary_path AND NOT m.is_hidden AND m.role IN ('user', 'assistant')
    AND EXISTS (SELECT FROM raw.content_parts AS c WHERE c.message_id = m.id AND c.part_type = 'text')
    GROUP BY 1
"""
# ChatML with calls and results, as templates of open models have them.
TEMPLATE = """
{%- for tool in tools or [] %}<tool>{{ tool.function.name }}</tool>{% endfor %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}
{%- for call in message.tool_calls or [] %}<call>{{ call.function.name }} {{ call.function.arguments }}</call>
{%- endfor %}
<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}
"""


def load_folder(found: Exported) -> Any:
    """Load an export as a hub does: by the front matter of its card."""
    import datasets  # half a second, which the other workers need not pay

    loaded = datasets.load_dataset(str(found.path), cache_dir=str(found.path / "cache"))
    assert isinstance(loaded, datasets.DatasetDict)
    return loaded


@pytest.mark.parametrize("name", ["openai", "trl-sft", "trl-dpo", "trl-kto", "sharegpt"])
def test_datasets_loads_a_folder_by_its_card(exported: Export, name: str):
    found = exported(name, **({} if name in {"trl-dpo", "trl-kto"} else {"paths": "all"}))
    lines = [json.loads(line) for line in (found.path / "data.jsonl").read_text(encoding="utf-8").splitlines()]
    loaded = load_folder(found)["train"]
    assert loaded.num_rows == len(lines) > 1
    for row, line in zip(loaded, lines, strict=True):
        assert without_nothing(row) == line


def without_nothing(value: Any) -> Any:
    """Return a value without the fields that Arrow fills with nothing where other rows have them."""
    if isinstance(value, dict):
        return {name: without_nothing(item) for name, item in value.items() if item is not None}
    return [without_nothing(item) for item in value] if isinstance(value, list) else value


def test_datasets_loads_tables_by_their_names(exported: Export):
    import datasets

    found = exported("parquet")
    cache = str(found.path / "cache")
    for name in ("dialogues", "branches", "messages", "parts", "attachments"):
        if rows := found.manifest["written"][f"{name} rows"]:
            loaded = datasets.load_dataset(str(found.path), name, cache_dir=cache)["train"]
            assert loaded.num_rows == rows
    pairs = exported("qa")
    assert load_folder(pairs)["train"].num_rows == pairs.manifest["written"]["qa rows"]


@pytest.mark.parametrize("name", ["openai", "trl-sft", "traces"])
def test_an_export_without_examples_is_no_example(exported: Export, name: str):
    with pytest.raises(Exception, match=r"(?i)no (data|\(supported\))|empty|unable to find|schema|split"):
        load_folder(exported(name, title="no such title", redact=False))


def test_sessions_are_files_of_whole_lines(filled: Database, settings: Settings, tmp_path: Path):
    marks = "one\u2028two\u2029three\x85four"
    load(filled, tmp_path / "marks.json", chatgpt("marks", chain(marks, "yes"), title="Marks"))
    build_stale(filled, settings)
    for name in ("traces", "openai", "trl-sft", "qa"):
        found = export(filled, settings, name, tmp_path / name, Choices(title="marks"))
        lines = [file for file in found.files if file.path.endswith(".jsonl")]
        for line in (found.path / lines[0].path).read_text(encoding="utf-8").splitlines():
            json.loads(line)
        assert "one\\u2028two\\u2029three\\u0085four" in (found.path / lines[0].path).read_text(encoding="utf-8")


def test_splits_are_those_of_the_card(exported: Export, filled: Database, settings: Settings):
    refresh_duplicates(filled, settings)
    found = exported("trl-sft", paths="all", splits=(0.5, 0.25, 0.25))
    loaded = load_folder(found)
    written = found.manifest["written"]
    rows = {split: each.num_rows for split, each in loaded.items()}
    # A split without a row has a file, and is none to the reader.
    assert rows == {name.removeprefix("examples in "): count for name, count in written.items() if " in " in name}
    assert sum(rows.values()) == written["examples"] == 6
    assert len({str(each.features) for each in loaded.values()}) == 1


def test_a_column_that_only_a_later_split_has_is_read(database: Database, settings: Settings, tmp_path: Path):
    # Calls of tools are in one dialogue of many: sooner or later in a split that is not the first.
    plain = [chatgpt(f"plain{number}", chain(f"question {number}", f"answer {number}")) for number in range(8)]
    load(database, tmp_path / "plain.json", *plain)
    for number in range(20):
        name = f"t{number}"
        load(database, tmp_path / f"{name}.json", {**tools(), "id": name, "conversation_id": name}, is_partial=True)
        build_stale(database, settings)
        refresh_duplicates(database, settings)
        found = export(database, settings, "openai", tmp_path / f"out{number}", SPLIT)
        if has_tools_only_later(found.path):
            break
    else:
        pytest.fail("no split has it alone")
    others = [export(database, settings, name, tmp_path / name, SPLIT) for name in ("trl-sft", "sharegpt")]
    for each_format in (found, *others):
        assert has_tools_only_later(each_format.path)
        loaded = load_folder(each_format)
        assert sum(each.num_rows for each in loaded.values()) == each_format.manifest["written"]["examples"]
        assert {"tools" in each.column_names for each in loaded.values()} == {True}


def has_tools_only_later(folder: Path) -> bool:
    """Tell whether the first split has rows, and only a later one calls of tools."""
    first, *later = ((folder / f"{split}.jsonl").read_bytes() for split in ("train", "validation", "test"))
    return bool(first) and b'"tools"' not in first and any(b'"tools"' in lines for lines in later)


def test_conversations_say_what_the_archive_says(exported: Export, unchanged: Database):
    loaded = load_folder(exported("trl-sft"))["train"]
    said = Counter(message["role"] for row in loaded for message in row["messages"] if message["content"])
    said.pop("tool")
    assert said == dict(query(unchanged, SAID))


def test_pandas_and_duckdb_read_what_the_tables_have(exported: Export, unchanged: Database):
    import duckdb

    folder = exported("parquet").path
    counts = (
        "SELECT role, count(*), count(DISTINCT dialogue_id), min(created_at), max(created_at) FROM {} "
        "GROUP BY 1 ORDER BY 1"
    )
    expected = [*map(tuple, query(unchanged, counts.format("raw.messages")))]
    assert duckdb.sql(counts.format(f"'{folder}/messages.parquet'")).fetchall() == expected
    messages, parts = (pd.read_parquet(folder / f"{name}.parquet") for name in ("messages", "parts"))
    joined = parts.merge(messages, on="message_id")
    by_kind = query(unchanged, "SELECT part_type, count(*) FROM raw.content_parts GROUP BY 1 ORDER BY 1")
    assert joined.groupby("kind").size().to_dict() == dict(by_kind)
    qa = pd.read_json(exported("qa").path / "qa.jsonl", lines=True)
    [(pairs, latest)] = query(
        unchanged,
        "SELECT count(*), max(m.created_at) FROM derived.qa_pairs AS p "
        "JOIN raw.messages AS m ON (m.dialogue_id, m.sequence_number) = (p.dialogue_id, p.end_sequence_number)",
    )
    assert (len(qa), pd.to_datetime(qa["answered_at"]).max()) == (pairs, latest)


def test_openai_and_sharegpt_follow_the_rules_of_their_readers(rows: Callable[..., list[dict[str, Any]]]):
    openai, sharegpt = rows("openai", paths="all"), rows("sharegpt", paths="all", thinking=True)
    assert openai
    assert sharegpt
    for row in openai:
        check_openai(row)
    for row in sharegpt:
        check_sharegpt(row)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A tokenizer of a model that was never trained; the template is what counts."""
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))  # noqa: S106
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=words)
    made.chat_template = TEMPLATE
    return made


def test_trl_applies_a_chat_template_to_each_of_its_formats(exported: Export, tokenizer: Any):
    trl = pytest.importorskip("trl.data_utils")

    def formatted(name: str, **choices: Any) -> list[dict[str, Any]]:
        rows = [without_nothing(row) for row in load_folder(exported(name, **choices))["train"]]
        assert all(trl.is_conversational(row) for row in rows)
        # The trainers read tools from their text, too.
        return [
            trl.maybe_apply_chat_template(row, tokenizer, tools=json.loads(row.pop("tools", "null"))) for row in rows
        ]

    texts = [row["text"] for row in formatted("trl-sft", paths="all")]
    assert len(texts) == 6
    [tools] = [text for text in texts if "<call>" in text]
    assert tools.startswith("<tool>python</tool><|im_start|>user\nWhat is six times seven?")
    assert "<call>python {'code': 'print(6 * 7)'}</call>" in tools
    assert "<|im_start|>tool\n42" in tools
    answers = formatted("trl-sft", paths="all", shape="prompt-completion")
    assert {GREEN, BLACK, STEEP} <= {answer["completion"].partition("<|im_end|>")[0].strip() for answer in answers}
    assert all(answer["prompt"].endswith("<|im_start|>assistant\n") for answer in answers)
    pairs = formatted("trl-dpo")
    assert {(GREEN in pair["rejected"], BLACK in pair["chosen"]) for pair in pairs} == {(True, True), (False, True)}
    labels = formatted("trl-kto")
    assert {(BLACK in row["completion"], row["label"]) for row in labels} == {(True, True), (False, False)}


@pytest.mark.parametrize("name", ["qwen2_5", "qwen3", "llama3_1", "qwen3_5_nothink", "glm4moe", "gptoss"])
def test_templates_of_models_take_calls_apart(exported: Export, tokenizer: Any, name: str):
    trl = pytest.importorskip("trl")
    template = Path(trl.__file__).with_name("chat_templates") / f"{name}.jinja"
    if not template.exists():
        pytest.skip("this version of trl has no such template")
    rows = [without_nothing(row) for row in load_folder(exported("trl-sft", paths="all"))["train"]]
    [row] = [row for row in rows if "tools" in row]
    text = tokenizer.apply_chat_template(
        row["messages"], tools=json.loads(row["tools"]), chat_template=template.read_text("utf-8"), tokenize=False
    )
    assert "print(6 * 7)" in text
    assert '\\"code' not in text, "the arguments are JSON within JSON"


def test_trl_unpairs_preferences_into_what_the_other_format_has(exported: Export):
    trl = pytest.importorskip("trl.data_utils")
    unpaired = trl.unpair_preference_dataset(load_folder(exported("trl-dpo"))["train"])
    own = load_folder(exported("trl-kto"))["train"]

    def labelled(rows: Any) -> set[tuple[str, bool]]:
        return {(row["completion"][-1]["content"], row["label"]) for row in rows}

    assert labelled(unpaired) == labelled(own)


def spoken(messages: list[dict[str, Any]]) -> list[str]:
    """What both sides say."""
    return [each["content"] for each in messages if each["role"] in {"user", "assistant"} and each["content"]]


def test_teich_reads_sessions_and_conversations(exported: Export):
    teich = pytest.importorskip("teich")
    found = exported("traces", paths="all", thinking=True, redact=False)
    for file in found.files:
        lines = (found.path / file.path).read_text(encoding="utf-8").splitlines()
        assert teich.detect_trace_type([json.loads(line) for line in lines]) is not None
        example = teich.convert_trace_to_training_example(found.path / file.path)
        said = [json.loads(line)["message"] for line in lines[1:]]
        spoken = [
            message["content"] for message in said if message["role"] in {"user", "assistant"} and message["content"]
        ]
        read = [message["content"] for message in example.messages if message["role"] in {"user", "assistant"}]
        assert [text for text in read if text] == spoken
    assert teich.load_traces(str(found.path)).num_rows == len(found.files)
    conversations = teich.load_traces(str(exported("trl-sft", paths="all").path))
    assert conversations.num_rows == 6
