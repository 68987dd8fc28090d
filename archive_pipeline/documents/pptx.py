"""PPTX: a slide is a page, its title a heading, its notes the end of the page. There are no page images."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from archive_pipeline.documents.limits import check_office_zip, check_pages
from archive_pipeline.documents.records import Document, Kind
from archive_pipeline.documents.structure import EXTRA, PURPOSE, markdown_table, pages_of
from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import UnreadableDocumentError


def read_pptx(path: Path, name: str) -> Document:
    """Read a PPTX file."""
    pptx = import_optional("pptx", extra=EXTRA, purpose=PURPOSE)
    with zipfile.ZipFile(path) as archive:
        check_office_zip(archive, name)
    slides = list(pptx.Presentation(str(path)).slides)
    check_pages(len(slides), name)
    pages = pages_of([_markdown(slide) for slide in slides], goes_on=False)
    if not any(page.markdown.strip() for page in pages):
        raise UnreadableDocumentError(f"{name} holds no text")
    return Document(Kind.PPTX, "pptx", pages)


def _markdown(slide: Any) -> str:
    title = slide.shapes.title
    parts = [f"# {heading}"] if title is not None and (heading := _one_line(title.text_frame.text)) else []
    # As one reads: from top to bottom. Slides keep their shapes in the order in which they are drawn.
    shapes = sorted(_flat(slide.shapes), key=lambda shape: (shape.top or 0, shape.left or 0))
    parts += [_shape(shape) for shape in shapes if title is None or shape.shape_id != title.shape_id]
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        parts += [f"**Notes:** {notes}"] if notes else []
    return "\n\n".join(part for part in parts if part)


def _flat(shapes: Any) -> Iterator[Any]:
    """Yield the shapes, those in groups too."""
    waiting = list(shapes)[::-1]
    while waiting:
        shape = waiting.pop()
        if hasattr(shape, "shapes"):
            waiting += list(shape.shapes)[::-1]
        else:
            yield shape


def _shape(shape: Any) -> str:
    if getattr(shape, "has_table", False):
        return markdown_table([[cell.text for cell in row.cells] for row in shape.table.rows])
    # Asked of the class: the image itself may be a link, or be missing.
    if hasattr(type(shape), "image"):
        return f"![{_one_line(shape.name).replace(']', '')}]()"
    if shape.has_text_frame:
        return _text(shape)
    return ""


def _text(shape: Any) -> str:
    """Return paragraphs; those of a placeholder with more than one are the points of a list."""
    paragraphs = [(paragraph.level, _one_line(paragraph.text)) for paragraph in shape.text_frame.paragraphs]
    shown = [(level, text) for level, text in paragraphs if text]
    if shape.is_placeholder and len(shown) > 1:
        return "\n".join(f"{'  ' * level}- {text}" for level, text in shown)
    return "\n\n".join(text for _, text in shown)


def _one_line(text: str) -> str:
    return " ".join(text.split())
