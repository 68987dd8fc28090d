"""Models of the ColPali family through colpali-engine, with its own classes and loading.

Which class a model needs is said by its configuration (``model_type``), an adapter's by that of its base model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import ArchiveError, VisualModelError
from archive_pipeline.retrieval.visual.interfaces import MultiVector

EXTRA: Final = "visual"
PURPOSE: Final = "visual search"
# Classes of colpali_engine.models for the model type of a configuration: model and processor.
CLASSES: Final = {
    "paligemma": ("ColPali", "ColPaliProcessor"),
    "colpali": ("ColPali", "ColPaliProcessor"),
    "qwen2_vl": ("ColQwen2", "ColQwen2Processor"),
    "colqwen2": ("ColQwen2", "ColQwen2Processor"),
    "qwen2_5_vl": ("ColQwen2_5", "ColQwen2_5_Processor"),
    "idefics3": ("ColIdefics3", "ColIdefics3Processor"),
    "modernvbert": ("ColModernVBert", "ColModernVBertProcessor"),
    "gemma3": ("ColGemma3", "ColGemmaProcessor3"),
}


@dataclass(frozen=True, slots=True)
class ColPaliEncoder:
    """A model and its processor.

    Attributes:
        name: folder or hub id.
        model, processor: colpali-engine's.
    """

    name: str
    model: Any
    processor: Any

    @classmethod
    def load(cls, name: str) -> ColPaliEncoder:
        """Load a model onto the GPU if there is one, else the CPU.

        Raises:
            MissingExtraError: the packages are not installed.
            VisualModelError: it is not there, or not of the family.
        """
        torch = import_optional("torch", extra=EXTRA, purpose=PURPOSE)
        models = import_optional("colpali_engine.models", extra=EXTRA, purpose=PURPOSE)
        try:
            model_name, processor_name = _classes(name)
            device = "cuda" if torch.cuda.is_available() else "cpu"
            # Half precision is slow, and in places not there, on CPUs.
            dtype = torch.bfloat16 if device == "cuda" else torch.float32
            model = _tied(getattr(models, model_name).from_pretrained(name, dtype=dtype)).to(device).eval()
            processor = getattr(models, processor_name).from_pretrained(name)
        except ArchiveError:
            raise
        except Exception as error:  # libraries of models raise anything
            reason = first_line(error)
            raise VisualModelError(
                f"the visual model {name} cannot be loaded ({reason}); correct ARCHIVE_VISUAL_MODEL"
            ) from error
        return cls(name, model, processor)

    def encode_images(self, images: Sequence[Any]) -> list[MultiVector]:
        """Return the vectors of each page image."""
        return self._encode(self.processor.process_images(list(images)))

    def encode_query(self, query: str) -> MultiVector:
        """Return the vectors of a query."""
        return self._encode(self.processor.process_queries([query]))[0]

    def _encode(self, batch: Any) -> list[MultiVector]:
        torch = import_optional("torch", extra=EXTRA, purpose=PURPOSE)
        with torch.inference_mode():
            output = self.model(**batch.to(self.model.device)).float().cpu().numpy()
        # Padding has vectors of zeros.
        vectors = [page[np.abs(page).max(axis=1) > 0].astype(np.float32) for page in output]
        if not all(len(page) and np.isfinite(page).all() for page in vectors):
            raise VisualModelError(f"the visual model {self.name} gave no vectors, or such that are no numbers")
        return vectors


def _tied(model: Any) -> Any:
    """Tie the weights of the model inside: ColPali ties those further in only, and its unused head gets none."""
    if hasattr(model, "model"):  # all but those that are their inner model, as ColQwen2
        model.model.tie_weights()
    return model


def _classes(name: str) -> tuple[str, str]:
    configuration = _configuration(name, "config.json")
    if configuration is None:
        adapter = _configuration(name, "adapter_config.json") or {}
        base = adapter.get("base_model_name_or_path")
        configuration = _configuration(base, "config.json") if base else None
    if configuration is None:
        raise VisualModelError(f"the visual model {name} has neither config.json nor adapter_config.json")
    kind = configuration.get("model_type")
    if kind not in CLASSES:
        raise VisualModelError(f"the visual model {name} is a {kind}; use one of {', '.join(CLASSES)}")
    return CLASSES[kind]


def _configuration(name: str, file_name: str) -> dict[str, Any] | None:
    """Return a configuration file of a folder or of a model on the hub, None if it has none."""
    folder = Path(name)
    if folder.is_dir():
        path = folder / file_name
        if not path.is_file():
            return None
    else:
        hub = import_optional("huggingface_hub", extra=EXTRA, purpose=PURPOSE)
        errors = import_optional("huggingface_hub.errors", extra=EXTRA, purpose=PURPOSE)
        try:
            path = Path(hub.hf_hub_download(name, file_name))
        except errors.EntryNotFoundError:
            return None
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if isinstance(found, dict) else None
