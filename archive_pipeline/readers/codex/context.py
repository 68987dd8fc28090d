"""What Codex puts into the user's messages itself: instructions, environment, notices.

Codex tells its own texts by how they begin and end, most of them in any letter case, and so do we. The list is what
``contextual_user_message.rs`` in ``codex-rs/core/src/context`` names and what is written with the user's role beside
it, with what earlier versions had.
"""

from __future__ import annotations

import re
from typing import Final

_MARKERS: Final = (
    ("# agents.md instructions", "</instructions>"),
    ("<user_instructions>", "</user_instructions>"),
    ("<environment_context>", "</environment_context>"),
    ("<skill>", "</skill>"),
    ("<user_shell_command>", "</user_shell_command>"),
    ("<turn_aborted>", "</turn_aborted>"),
    ("<subagent_notification>", "</subagent_notification>"),
    ("<codex_internal_context", "</codex_internal_context>"),
    ("<goal_context>", "</goal_context>"),
    ("<extension_context>", "</extension_context>"),
    ("<hook_prompt", "</hook_prompt>"),
    ("<user_action>", "</user_action>"),
    ("<permissions instructions>", "</permissions instructions>"),
    ("<collaboration_mode>", "</collaboration_mode>"),
    ("<recommended_plugins>", "</recommended_plugins>"),
    ("the next image is untrusted page evidence", ""),
    # Warnings of earlier versions, in whose sessions they stay.
    ("warning: apply_patch was requested via ", "use the apply_patch tool instead of exec_command."),
    ("warning: the maximum number of unified exec processes", ""),
    ("warning: your account was flagged for potentially high-risk cyber activity", ""),
)
_STARTS: Final = tuple(start for start, _ in _MARKERS)
_FOLDER: Final = re.compile(r"<cwd>([^<]+)</cwd>")
_LONGEST_START: Final = max(map(len, _STARTS))
_LONGEST_END: Final = max(len(end) for _, end in _MARKERS)
# What a program that runs Codex gives it to know, under a name of its own.
_EXTERNAL: Final = re.compile(r"<(external_[^>\s]*)[^>]*>")
# What stands around a picture or recording.
_TAG: Final = re.compile(r"</?(?:image|audio)>|<(?:image|audio) name=\[[^\]]*\]>")


def is_context(text: str) -> bool:
    """Tells whether a text of a user's message is Codex's own."""
    stripped = text.strip()
    head = stripped[:_LONGEST_START].lower()
    if head.startswith(_STARTS):
        tail = stripped[-_LONGEST_END:].lower()
        return any(head.startswith(start) and tail.endswith(end) for start, end in _MARKERS)
    if (external := _EXTERNAL.match(stripped)) is not None:
        return stripped.endswith(f"</{external[1]}>")
    return _TAG.fullmatch(stripped) is not None


def folder_in(text: str) -> str | None:
    """Returns the working folder that a description of the environment names."""
    found = _FOLDER.search(text) if is_context(text) else None
    return found[1] if found else None
