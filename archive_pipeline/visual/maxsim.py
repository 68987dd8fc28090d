"""The arithmetic of late interaction: MaxSim, one vector per page to find candidates by, and how vectors are stored.

MaxSim of a query and a page: for each vector of the query the largest dot product with a vector of the page; here the
mean of these, not their sum, so that scores of short and long queries compare. Of vectors of length 1 it is at most 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from archive_pipeline.visual.interfaces import MultiVector


def maxsim(query: MultiVector, page: MultiVector) -> float:
    """Return the MaxSim of a query and a page; 0 if either has no vectors."""
    if not len(query) or not len(page):
        return 0.0
    return float((query @ page.T).max(axis=1).mean())


def pooled(vectors: MultiVector) -> npt.NDArray[np.float32]:
    """Return the direction of the mean of the vectors; zeros if there is none."""
    total = vectors.sum(axis=0, dtype=np.float64)
    length = np.linalg.norm(total)
    direction: npt.NDArray[np.float32] = (total / length if length else total).astype(np.float32)
    return direction


def candidates(query: MultiVector, pages: npt.NDArray[np.float32], number: int) -> list[int]:
    """Return the rows of ``pages``, one vector each, that are nearest to the query, the nearest first.

    It is MaxSim with one vector per page: the mean over the query's vectors of their products with it.
    """
    if not len(pages):
        return []
    order: list[int] = np.argsort(-(pages @ query.mean(axis=0)), kind="stable")[:number].tolist()
    return order


def to_bytes(vectors: MultiVector) -> bytes:
    """Return the vectors as they are stored: 16-bit floats, little-endian."""
    return vectors.astype("<f2").tobytes()


def from_bytes(data: bytes, dimensions: int) -> MultiVector:
    """Return stored vectors."""
    return np.frombuffer(data, dtype="<f2").reshape(-1, dimensions).astype(np.float32)
