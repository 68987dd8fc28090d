"""The files of a model in ONNX, as hubs and exporters lay them out, and what they say of how it is used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_MODEL: Final = "model.onnx"
# Beside the tokenizer, or where exporters put several kinds of the same model.
_MODEL_FOLDERS: Final = ("", "onnx")
_TOKENIZER: Final = "tokenizer.json"
_POOLING: Final = "1_Pooling/config.json"
# Of models that do not say how much they read; what BERT was trained with.
_USUAL_TOKENS: Final = 512
# Where a length is not known, some files have 1e30.
_MOST_TOKENS: Final = 100_000
_CROSS_ENCODER: Final = "ForSequenceClassification"
_QUERY_PROMPTS: Final = ("query",)
_TEXT_PROMPTS: Final = ("document", "passage", "corpus")


class OnnxModelError(Exception):
    """A model in ONNX is not there, cannot be loaded, or failed."""


@dataclass(frozen=True, slots=True)
class OnnxFiles:
    """Where a model is, and what the files beside it say.

    Attributes:
        model: the ONNX file.
        tokenizer: ``tokenizer.json``.
        most_tokens: that the model reads.
        takes_first_token: the vector of a text is that of its first token; else the mean of all.
        query_prompt: what is put before a query.
        text_prompt: what is put before a text.
        is_cross_encoder: the model gives a number for two texts.
    """

    model: Path
    tokenizer: Path
    most_tokens: int
    takes_first_token: bool
    query_prompt: str
    text_prompt: str
    is_cross_encoder: bool


def find_files(name: str) -> OnnxFiles:
    """Return the files of a model: ``name`` is its folder, or the ONNX file if the folder has several.

    Raises:
        OnnxModelError: a file is missing or cannot be read, or the model is used in a way that is not known here.
    """
    path = Path(name).expanduser()
    model = path if path.is_file() else _only_model(path)
    folder = next((each for each in (model.parent, model.parent.parent) if (each / _TOKENIZER).is_file()), None)
    if folder is None:
        raise OnnxModelError(f"{model} has no {_TOKENIZER} beside it: fetch it with the model")
    prompts = _read(folder / "config_sentence_transformers.json").get("prompts") or {}
    return OnnxFiles(
        model=model,
        tokenizer=folder / _TOKENIZER,
        most_tokens=_most_tokens(folder),
        takes_first_token=_takes_first_token(folder / _POOLING),
        query_prompt=_first_of(prompts, _QUERY_PROMPTS),
        text_prompt=_first_of(prompts, _TEXT_PROMPTS),
        is_cross_encoder=any(
            str(each).endswith(_CROSS_ENCODER) for each in _read(folder / "config.json").get("architectures") or ()
        ),
    )


def _only_model(folder: Path) -> Path:
    """Return the model of a folder: ``model.onnx``, or the only file of its kind."""
    folders = [folder / each for each in _MODEL_FOLDERS]
    for each in folders:
        if (each / _MODEL).is_file():
            return each / _MODEL
    found = sorted(file for each in folders for file in each.glob("*.onnx"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise OnnxModelError(f"{folder} has no ONNX file: name a folder with {_MODEL} and {_TOKENIZER}")
    raise OnnxModelError(f"{folder} has several ONNX files: name one of {', '.join(map(str, found))}")


def _most_tokens(folder: Path) -> int:
    said = (
        _read(folder / "sentence_bert_config.json").get("max_seq_length"),
        _read(folder / "tokenizer_config.json").get("model_max_length"),
    )
    return min(
        (int(each) for each in said if isinstance(each, (int, float)) and 0 < each <= _MOST_TOKENS),
        default=_USUAL_TOKENS,
    )


def _takes_first_token(file: Path) -> bool:
    """Tell how vectors of tokens become one: by the first token, or by their mean, which is usual."""
    said = _read(file)
    ways = {
        key.removeprefix("pooling_mode_")
        for key, value in said.items()
        if key.startswith("pooling_mode_") and value is True
    }
    if isinstance(said.get("pooling_mode"), str):
        ways = {said["pooling_mode"]}
    if ways <= {"mean_tokens", "mean"}:
        return False
    if ways <= {"cls_token", "cls"}:
        return True
    raise OnnxModelError(f"{file} asks for {', '.join(sorted(ways))}: only the mean and the first token are known here")


def _first_of(prompts: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((str(prompts[name]) for name in names if prompts.get(name)), "")


def _read(file: Path) -> dict[str, Any]:
    """Return what a file says; nothing if it is not there."""
    if not file.is_file():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OnnxModelError(f"{file} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise OnnxModelError(f"{file} has no fields")
    return found
