"""Models in ONNX of a few words, made on the spot: what they give can be worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

PAD, UNKNOWN = "[PAD]", "[UNK]"


def save_embedder(folder: Path, vectors: Mapping[str, Sequence[float]], *, name: str = "model.onnx") -> Path:
    """Write a model that gives each word its vector; other words have that of ``[UNK]``, 0 by default."""
    words, table = _table(vectors)
    onnx = pytest.importorskip("onnx")
    gather = onnx.helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    shape = ["texts", "tokens", len(table[0])]
    return _save(folder, name, words, table, [gather], ("last_hidden_state", shape))


def save_cross_encoder(folder: Path, numbers: Mapping[str, Sequence[float]]) -> Path:
    """Write a model that adds up the numbers of all words, those of the question too."""
    words, table = _table(numbers)
    onnx = pytest.importorskip("onnx")
    nodes = [
        onnx.helper.make_node("Gather", ["table", "input_ids"], ["of_words"]),
        onnx.helper.make_node("ReduceSum", ["of_words", "axes"], ["logits"], keepdims=0),
    ]
    _save(folder, "model.onnx", words, table, nodes, ("logits", ["texts", len(table[0])]))
    (folder / "config.json").write_text(json.dumps({"architectures": ["BertForSequenceClassification"]}))
    return folder


def _table(vectors: Mapping[str, Sequence[float]]) -> tuple[list[str], list[list[float]]]:
    nothing = [0.0] * len(next(iter(vectors.values())))
    all_of = {PAD: nothing, UNKNOWN: nothing} | {word: list(vector) for word, vector in vectors.items()}
    return list(all_of), list(all_of.values())


def _save(
    folder: Path,
    name: str,
    words: Sequence[str],
    table: Sequence[Sequence[float]],
    nodes: Sequence[Any],
    output: tuple[str, Sequence[str | int]],
) -> Path:
    onnx, tokenizers = pytest.importorskip("onnx"), pytest.importorskip("tokenizers")
    types, helper = onnx.TensorProto, onnx.helper
    flat = [number for vector in table for number in vector]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_ids", types.INT64, ["texts", "tokens"])],
        [helper.make_tensor_value_info(output[0], types.FLOAT, list(output[1]))],
        [
            helper.make_tensor("table", types.FLOAT, [len(table), len(table[0])], flat),
            helper.make_tensor("axes", types.INT64, [1], [1]),
        ],
    )
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    # An older format, which all versions of onnxruntime read.
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), file)
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: number for number, word in enumerate(words)}, unk_token=UNKNOWN)
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
