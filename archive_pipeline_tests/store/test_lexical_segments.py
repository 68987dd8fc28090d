"""Lines of postings, as COPY reads them."""

from __future__ import annotations

import numpy as np

from archive_pipeline.store.lexical_segments import posting_lines


def test_a_line_has_the_numbers_and_weights_of_a_term_and_terms_without_any_have_none():
    ordinals = np.array([1, 258, 3])
    weights = np.array([1, 255, 16], dtype=np.uint8)
    assert list(posting_lines(["elm", "fir", "oak"], [0, 2, 2, 3], ordinals, weights)) == [
        "elm\t2\t\\\\x01000201\t\\\\x01ff",
        "oak\t1\t\\\\x0300\t\\\\x10",
    ]
