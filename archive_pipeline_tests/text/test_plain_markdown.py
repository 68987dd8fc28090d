"""Lines of Markdown as people read them."""

from __future__ import annotations

import pytest

from archive_pipeline.text.plain_markdown import plain_line


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("A **bold** word, *it*, ~~gone~~ and `a|b`", "A bold word, it, gone and a|b"),
        ("[link](http://e.org/x) ![picture](http://e.org/y)", "link picture"),
        ("| a | b | |---|:--:| | 1 | **2** |", "a b 1 2"),
        ("# Title Text **cut off\u2026", "Title Text cut off\u2026"),
        ("\u2026end** of it - and so - on", "\u2026end of it - and so - on"),
        ("- first * second * **third**", "first second third"),
        ("> quoted", "quoted"),
        ("```python x = 1", "x = 1"),
        ("```a | b``` c", "a | b c"),
        (r"\*not\* a_b_c 2**3 a * b 5 > 3 <b>x</b> C++ #tag", "*not* a_b_c 2**3 a * b 5 > 3 <b>x</b> C++ #tag"),
        ("", ""),
    ],
)
def test_marks_are_left_out(line: str, plain: str):
    assert plain_line(line) == plain
