"""Where the files of a model in ONNX are, and what is read of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.retrieval.onnx.files import OnnxModelError, find_files


def write(folder: Path, *models: str, **configs: Any) -> Path:
    """Write empty models and configurations, whose names are those of files without their ending."""
    for name in ("tokenizer.json", *models):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text("")
    for name, content in configs.items():
        file = folder / f"{name.replace('__', '/')}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize("model", ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_int8.onnx"])
def test_the_only_model_of_a_folder_is_found(tmp_path: Path, model: str):
    files = find_files(str(write(tmp_path, model)))
    assert files.model == tmp_path / model
    assert files.tokenizer == tmp_path / "tokenizer.json"
    assert (files.most_tokens, files.takes_first_token, files.is_cross_encoder) == (512, False, False)
    assert files.query_prompt == files.text_prompt == ""


def test_of_several_models_that_of_the_usual_name_is_taken(tmp_path: Path):
    assert find_files(str(write(tmp_path, "onnx/model.onnx", "onnx/model_int8.onnx"))).model.name == "model.onnx"


def test_of_several_models_one_can_be_named(tmp_path: Path):
    write(tmp_path, "onnx/model_fp16.onnx", "onnx/model_int8.onnx")
    with pytest.raises(OnnxModelError, match=r"several ONNX files: name one of .*model_fp16\.onnx, .*model_int8\.onnx"):
        find_files(str(tmp_path))
    files = find_files(f"{tmp_path}/onnx/model_int8.onnx")
    assert files.model.name == "model_int8.onnx"
    assert files.tokenizer == tmp_path / "tokenizer.json"


def test_what_is_missing_is_named(tmp_path: Path):
    with pytest.raises(OnnxModelError, match="has no ONNX file"):
        find_files(f"{tmp_path}/nothing")
    write(tmp_path, "model.onnx")
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(OnnxModelError, match=r"has no tokenizer\.json beside it"):
        find_files(str(tmp_path))


def test_the_smaller_length_counts_and_lengths_that_are_none_do_not(tmp_path: Path):
    write(tmp_path, "model.onnx", tokenizer_config={"model_max_length": 1e30})
    assert find_files(str(tmp_path)).most_tokens == 512
    write(tmp_path, tokenizer_config={"model_max_length": 384}, sentence_bert_config={"max_seq_length": 256})
    assert find_files(str(tmp_path)).most_tokens == 256


@pytest.mark.parametrize(
    ("pooling", "takes_first_token"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, True),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, False),
        ({"pooling_mode": "cls"}, True),
        ({"pooling_mode": "mean"}, False),
    ],
)
def test_the_way_to_one_vector_is_read(tmp_path: Path, pooling: dict[str, Any], takes_first_token: bool):
    write(tmp_path, "model.onnx", **{"1_Pooling__config": pooling})
    assert find_files(str(tmp_path)).takes_first_token is takes_first_token


@pytest.mark.parametrize("pooling", [{"pooling_mode_max_tokens": True}, {"pooling_mode": "lasttoken"}])
def test_another_way_to_one_vector_is_refused(tmp_path: Path, pooling: dict[str, Any]):
    write(tmp_path, "model.onnx", **{"1_Pooling__config": pooling})
    with pytest.raises(OnnxModelError, match="only the mean and the first token are known"):
        find_files(str(tmp_path))


def test_prompts_are_read(tmp_path: Path):
    prompts = {"query": "search: ", "passage": "text: "}
    files = find_files(str(write(tmp_path, "model.onnx", config_sentence_transformers={"prompts": prompts})))
    assert (files.query_prompt, files.text_prompt) == ("search: ", "text: ")


@pytest.mark.parametrize("content", ["[1]", "{", '"text"'])
def test_a_damaged_file_is_named(tmp_path: Path, content: str):
    write(tmp_path, "model.onnx")
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(OnnxModelError, match=r"config\.json"):
        find_files(str(tmp_path))
