"""What the suite keeps of the model of queries is what the model gives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from archive_pipeline_tests.models import KeptVectors

VECTOR = np.array([0.1, -1e-30, 3.0], dtype=np.float32)


def test_a_vector_is_found_bit_by_bit_by_whoever_asks_next(tmp_path: Path):
    KeptVectors(tmp_path / "file").keep("a \ud800", VECTOR, 1)
    found = KeptVectors(tmp_path / "file").of("a \ud800")
    assert found is not None
    assert found[0].tobytes() == VECTOR.tobytes()
    assert found[1] == 1
    assert KeptVectors(tmp_path / "file").of("a") is None


def test_the_first_who_read_a_text_counts(tmp_path: Path):
    kept = KeptVectors(tmp_path / "file")
    kept.keep("a", VECTOR, 0)
    kept.keep("a", 2 * VECTOR, 1)
    numbers, cut = kept.of("a") or (None, None)
    assert numbers is not None
    assert (numbers.tolist(), cut) == (VECTOR.tolist(), 0)


def test_whoever_comes_meanwhile_waits_and_finds_what_the_first_one_read(tmp_path: Path):
    kept = KeptVectors(tmp_path / "file")
    with ThreadPoolExecutor() as pool:
        with kept.alone():
            asked = pool.submit(_asked_alone, tmp_path / "file")
            with pytest.raises(TimeoutError):
                asked.result(0.1)
            kept.keep("a", VECTOR, 0)
        assert asked.result(300)


def _asked_alone(file: Path) -> bool:
    kept = KeptVectors(file)
    with kept.alone():
        return kept.of("a") is not None


def test_other_numbers_are_refused(tmp_path: Path):
    with pytest.raises(TypeError):
        KeptVectors(tmp_path / "file").keep("a", VECTOR.astype(np.float64), 0)
