"""A dialogue's tree drawn as text, for people. Not a table: nothing is stored.

Messages stand below each other; only where a tree branches do lines move to the right, so that a long chain stays as
narrow as a short one. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from archive_pipeline.derive.forest import Forest, forest_of
from archive_pipeline.derive.linear_sequences import branch_reason
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.text.shown_names import printable

MOST_LINES: Final = 200
WORDS_WIDTH: Final = 60
# Deeper branches are drawn at this depth: a line must not grow with the tree.
MOST_INDENTS: Final = 20
PRIMARY: Final = "●"
OTHER: Final = "○"


def draw_tree(
    batch: DialogueBatch, dialogue: int = 0, *, max_lines: int = MOST_LINES, labels: Mapping[int, str] | None = None
) -> str:
    """Return the tree of one dialogue of the batch, a line per message.

    A line has the message's role and first words; ``●`` marks the primary path, ``○`` the rest. The first message of
    each branch says why the siblings exist: edit, regeneration or fork.

    Args:
        batch: dialogues.
        dialogue: position of the dialogue in the batch.
        max_lines: further messages are counted, not drawn.
        labels: by position of a message in the batch, what its line ends with, such as the name of a branch.
    """
    forest = forest_of(batch)
    lines: list[str] = []
    stack = _siblings(batch, forest.roots[dialogue], depth=0)
    while stack and len(lines) < max_lines:
        position, depth, branch = stack.pop()
        label = f"  ← {labels[position]}" if labels and position in labels else ""
        lines.append(_line(batch, forest, position, depth, branch) + label)
        stack += _siblings(batch, forest.children[position], depth=depth)
    left_out = len(batch.positions(dialogue)) - len(lines)
    if left_out:
        lines.append(f"… {left_out:,} more messages")
    return "\n".join(lines) or "(no messages)"


def _siblings(batch: DialogueBatch, siblings: Sequence[int], *, depth: int) -> list[tuple[int, int, str]]:
    """Return (position, depth of the drawing, why it branches), the first sibling last, as a stack wants it."""
    if len(siblings) < 2:
        return [(position, depth, "") for position in siblings]
    reason = branch_reason(batch, batch.parent[siblings[0]])
    count = len(siblings)
    in_reverse = sorted(siblings, reverse=True)  # by time: that is the order of messages in a batch
    return [
        (position, depth + 1, f"{reason} {count - number} of {count}") for number, position in enumerate(in_reverse)
    ]


def _line(batch: DialogueBatch, forest: Forest, position: int, depth: int, branch: str) -> str:
    mark = PRIMARY if forest.on_primary_path[position] else OTHER
    beginning = f"{mark} {batch.role[position]:<9}"
    if depth:
        rails = "│  " * (min(depth, MOST_INDENTS) - 1) + ("├─ " if branch else "│  ")
        beginning = f"{rails}{beginning} [{branch}]" if branch else f"{rails}{beginning}"
    return f"{beginning} {_first_words(batch.text[position])}".rstrip()


def _first_words(text: str | None) -> str:
    if text is None:
        return "(no text)"
    # What is far behind the beginning is never shown; so many words with what is between them exceed the width.
    words = " ".join(text[: 8 * WORDS_WIDTH].split(None, WORDS_WIDTH // 2 + 1))
    is_cut = len(words) > WORDS_WIDTH
    if is_cut:
        words = words[: WORDS_WIDTH - 1].rstrip()
    # Backticks would end the code block that the drawing stands in.
    words = printable(words.replace("`", "'"))
    return f"{words}…" if is_cut else words
