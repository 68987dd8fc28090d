"""Pages of the Gemini app's activity, ``MyActivity.html``, each text, file and address a mark."""

from __future__ import annotations

from random import Random
from typing import Final

from archive_pipeline.text.html_markdown import html_as_markdown
from benchmarks.fuzz.marks import Marks

TIMES: Final = (
    "Jul 26, 2026, 8:07:57\u202fAM CEST",
    "26.07.2026, 08:07:57 MESZ",
    "26 juil. 2026, 08:07:57 UTC+2",
    "2026年7月26日 08:07:57 CEST",
    "Jul 26, 2026, 8:07:57 AM CST",
)
_VERBS: Final = ("Prompted&nbsp;", "Prompted ", "Poslali ste poziv:&nbsp;", "Used&nbsp;", "")
_STYLE: Final = "<html><head><title>My Activity History</title><style>.mdl-grid{display:flex}</style></head>"

html_as_markdown("")  # its libraries are imported at the first, which is the time of no input


def page(random: Random, marks: Marks) -> tuple[str, list[list[str]]]:
    """Return a page of up to five records, and the texts of each record of Gemini."""
    records: list[str] = []
    said: list[list[str]] = []
    for _ in range(random.randint(1, 5)):
        texts: list[str] = []
        records.append(record(random, marks, texts))
        said.append(texts)
        if random.random() < 0.2:
            records.append(record(random, marks, [], "Search"))
    return f'{_STYLE}<body><div class="mdl-grid">{"".join(records)}</div></body></html>', said


def record(random: Random, marks: Marks, texts: list[str], product: str = "Gemini Apps") -> str:
    """Return the HTML of a record; its marks are added to the texts."""

    def text() -> str:
        texts.append(marks.text())
        return texts[-1]

    prompt = random.choice(_VERBS) + "<br>".join(text() for _ in range(random.randint(1, 3)))
    if random.random() < 0.4:
        prompt += f'<br>Attached 1 file.<br>-&nbsp; <a href="{text()}.png">{text()}</a>'
    answers = (
        str,
        lambda: f"<p>{text()}</p><ul><li>{text()}</li></ul>",
        lambda: f"<pre><code>{text()}</code></pre>{text()}",
    )
    answer = random.choice(answers)()
    preview = f'<img src="{text()}.png" class="image-preview">' if random.random() < 0.3 else ""
    body = f"{prompt}<br>{random.choice(TIMES)}<br>{answer}"
    cells = [
        ("content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1", body),
        ("content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right", preview),
        ("content-cell mdl-cell mdl-cell--12-col mdl-typography--caption", f"<b>Products:</b><br>&emsp;{text()}<br>"),
    ]
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">'
        f'<div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">{product}<br></p></div>'
        + "".join(f'<div class="{classes}">{inside}</div>' for classes, inside in cells)
        + "</div></div>"
    )
