"""Bars: what each shows of work in one or several pieces."""

from __future__ import annotations

from rich.progress import Progress

from archive_pipeline.cli.progress import ProgressBars


def shown(bars: Progress) -> dict[str, tuple[float, float | None]]:
    return {task.description: (task.completed, task.total) for task in bars.tasks}


def test_pieces_of_a_stage_add_up_to_the_total_that_was_given():
    bars = Progress(disable=True)
    progress = ProgressBars(bars, {"exchanges": 30, "qa_pairs": 30})
    for done in (0, 10, 20):
        progress("exchanges", done, 20)
    for done in (0, 5):
        progress("exchanges", done, 10)
    assert shown(bars) == {"exchanges": (25, 30), "qa_pairs": (0, 30)}
    progress.finish()
    assert shown(bars) == {"exchanges": (30, 30), "qa_pairs": (30, 30)}


def test_a_stage_without_a_given_total_has_a_bar_when_it_begins():
    bars = Progress(disable=True)
    progress = ProgressBars(bars, {})
    assert shown(bars) == {}
    progress("embedding", 0, 7)
    progress("embedding", 3, 7)
    progress("text", 2, 2)
    progress("document_chunks", 0, 0)
    assert shown(bars) == {"embedding": (3, 7), "text": (2, 2)}
