"""Building of result frames: text columns stay Python objects, which costs neither a conversion nor a copy.

Pandas is imported here alone, when the first frame is made: of all commands only those that build tables need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def frame(columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]) -> pd.DataFrame:
    """Return a frame of the given columns, in their order.

    Raises:
        ValueError: they are not of one length.
    """
    import pandas as pd  # noqa: PLC0415 (slow to import)

    arrays = [_array(values) for values in columns.values()]
    # One index for all: pandas compares those of columns that have their own.
    index = pd.RangeIndex(len(arrays[0]) if arrays else 0)
    series = [pd.Series(array, index=index, dtype=array.dtype, copy=False) for array in arrays]
    return pd.DataFrame(dict(zip(columns, series, strict=True)), index=index, copy=False)


def frame_of_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> pd.DataFrame:
    """Return a frame of rows, each with a value for each of the named columns."""
    columns = map(list, zip(*rows, strict=True)) if rows else ([] for _ in names)
    return frame(dict(zip(names, columns, strict=True)))


def join(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of some frames of the same columns as one frame."""
    import pandas as pd  # noqa: PLC0415

    return pd.concat(frames, ignore_index=True)


def _array(values: Sequence[Any] | np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return values if isinstance(values, np.ndarray) else np.fromiter(values, dtype=object, count=len(values))
