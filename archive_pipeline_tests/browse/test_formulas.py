"""Formulas in TeX: their signs stay, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from markupsafe import escape

from archive_pipeline.browse.markdown import to_html


@pytest.mark.parametrize(
    "formula",
    [
        r"\( x_1 * y_2 * z \)",
        r"\[ |x-y| \, dx < \frac{1}{2} \]",
        "$$a_b*c*$$",
        "\\[\na = b\n\\]",
        r"$a*b*c$",
        r"$\{x\} \$ \\$",
    ],
)
def test_a_formula_stays_as_it_is_written(formula: str):
    assert f'so <code class="formula">{escape(formula)}</code> *' in to_html(f"so {formula} \\* and \\(")


@pytest.mark.parametrize(
    "text",
    [
        *("It costs $5 and *a* $6.", "$HOME, **$PATH** and $ *a* $", "\\$5 *a*$", "$5*a*\n\n$"),
        *("In a script $1 is; the regex `^foo$` *a* foo.", "$EDITOR opens; `/foo$/` and `/bar$/` are *a*"),
        *("[$5 deal](http://a.b) and [x$](http://c.d)", "Costs $5 (see [this](http://e.com/$)) end"),
        *("${HOME}:${PATH} is *a*", "$PATH:$(pwd) then *a*", "${x} and **${y}**"),
        *("($/unit)**: $5/unit, *a* ($)", "$5 million and **\u20ac6** (US$ 7)", "AU$: 5, in US$: **6**"),
    ],
)
def test_prices_variables_and_code_are_no_formulas(text: str):
    html = to_html(text)
    assert "formula" not in html
    assert html.count("<a ") == text.count("](")
    assert html.count("<em>") == text.count("*a*")


def test_a_formula_behind_a_price_and_code_is_one():
    assert '<code class="formula">$x$</code>' in to_html("It is $5, `a`, and $x$.")


def test_what_only_begins_like_a_formula_is_text():
    html = to_html("It costs $5 (\\(five) and $6.\n\nThen \\(x\\) and `\\(y\\)`.")
    assert "It costs $5 ((five) and $6." in html
    assert '<code class="formula">\\(x\\)</code> and <code>\\(y\\)</code>' in html


@pytest.mark.parametrize(
    "formula",
    [
        "$$\nf(x)\n=\ng(x)\n$$",
        "\\[\nx\n- y\n- z\n\\]",
        "\\[\na\n\nb*c*d\n\\]",
        "$$\n# a\n\nb*c*d\n$$.",
        "$$ a\n- b $$",
    ],
)
def test_lines_of_a_formula_begin_no_blocks(formula: str):
    written = f'<code class="formula">{formula.removesuffix(".")}</code>{"." * formula.endswith(".")}'
    shown = f"<p{{}}>{written}</p>\n"
    assert to_html(formula) == shown.format(' dir="auto"')
    above, below = '<p dir="auto">We <em>have</em></p>\n', '<p dir="auto">for <em>all</em>.</p>\n'
    assert to_html(f"We *have*\n{formula}\nfor *all*.") == above + shown.format(' dir="auto"') + below
    quoted = "\n".join(f"> {line}" for line in formula.split("\n"))
    assert to_html(quoted) == f'<blockquote dir="auto">\n{shown.format("")}</blockquote>\n'
    listed = formula.replace("\n", "\n  ")
    assert to_html(f"- a\n- {listed}\n- b").count("<ul") == 1
    assert to_html(f"- {listed}\n- *b*").startswith(f'<ul dir="auto">\n<li>\n{shown.format("")}</li>\n<li><em>b</em>')


def test_signs_in_code_open_no_formula():
    assert '<code class="formula">$$\na\n- c\n$$</code>' in to_html("Math uses `$$`:\n$$\na\n- c\n$$")


def test_a_formula_that_ends_its_line_goes_on_below():
    assert to_html("so \\[\nx\n=\ny\n\\] *holds*") == (
        '<p dir="auto">so <code class="formula">\\[\nx\n=\ny\n\\]</code> <em>holds</em></p>\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "Cheap: $$\n\n- *one*: $$$\n- *two*",
        "$$ is cheap\n\n- *one* is $$\n- *two*",
        "so $$\nx\n$$\n\n- *one*\n- *two*\n\nso $$\ny\n$$",
        "$$\n- *one*\n- *two*\n```\n$$\n```",
        "\\[0, 1)\n\n- *one*\n- *two* \\[2, 3\\]",
        "> $$\n\n- *one*\n- *two*\n\n$$",
    ],
)
def test_blocks_between_signs_of_other_meanings_stay_blocks(text: str):
    html = to_html(text)
    assert "<li><em>one</em>" in html
    assert "<li><em>two</em>" in html
