"""Pages as Markdown: an exchange as one, and how all of them are kept in a metadata field."""

from __future__ import annotations

import base64
import gzip

from archive_pipeline.store.page_texts import PageTexts
from archive_pipeline.text.citation_marks import without_marks


def page_markdown(user_text: str | None, assistant_text: str | None) -> str:
    """Return an exchange as Markdown: who said what, without citation marks."""
    parts = (("User", user_text), ("Assistant", assistant_text))
    return "\n\n".join(f"**{name}:**\n\n{without_marks(text)}" for name, text in parts if text)


def trace_markdown(question: str, answer: str, *, is_error: bool) -> str:
    """Return a tool call and its result as Markdown, both in full (seed 004)."""
    return f"**Tool call:**\n\n{question}\n\n**{'Error' if is_error else 'Result'}:**\n\n{without_marks(answer)}"


def artifact_markdown(text: str, title: str | None, *, is_code: bool) -> str:
    """Return an artifact or code as Markdown, in full; it is Markdown itself, or what a program reads as it is."""
    name = "Code" if is_code else "Artifact"
    return f"**{name}{f' ({title})' if title else ''}:**\n\n{without_marks(text)}"


def page_text(row: PageTexts) -> str:
    """Return the text of a document's page, or that of an exchange."""
    return page_markdown(row.user_text, row.assistant_text) if row.markdown is None else row.markdown


def compress(markdown: str) -> str:
    """Return the text as ``full_markdown_compressed`` has it: gzip, base64 (seed 002)."""
    return base64.b64encode(gzip.compress(markdown.encode(), mtime=0)).decode()
