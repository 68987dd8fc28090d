"""Pictures: one page without text, whose image is the picture; a TIFF has a page per frame."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from archive_pipeline.documents.limits import MAX_PIXELS, check_pages
from archive_pipeline.documents.records import Document, Kind, Page
from archive_pipeline.documents.structure import EXTRA, PURPOSE
from archive_pipeline.errors import UnreadableDocumentError
from archive_pipeline.optional import import_optional

# Pillow reads dozens more, some through programs of the system; these are what documents come as.
FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP")
_PAGED: Final = frozenset({"TIFF"})


def read_image(path: Path, name: str) -> Document:
    """Read a picture, to its end: one that is cut off is turned away."""
    image_module = import_optional("PIL.Image", extra=EXTRA, purpose=PURPOSE)
    with image_module.open(path, formats=FORMATS) as image:
        frames = image.n_frames if image.format in _PAGED else 1
        extension = "jpg" if image.format == "JPEG" else image.format.lower()
        check_pages(frames, name)
        for frame in range(frames):
            image.seek(frame)
            if image.width * image.height > MAX_PIXELS:
                raise UnreadableDocumentError(
                    f"{name} has {image.width:,} x {image.height:,} pixels; at most {MAX_PIXELS:,} are read"
                )
            image.load()
    pages = tuple(Page(number, "", num_pictures=1) for number in range(1, frames + 1))
    return Document(Kind.IMAGE, extension, pages, page_images=lambda: _frames(path, frames))


def _frames(path: Path, frames: int) -> Iterator[tuple[int, Any]]:
    image_module = import_optional("PIL.Image", extra=EXTRA, purpose=PURPOSE)
    operations = import_optional("PIL.ImageOps", extra=EXTRA, purpose=PURPOSE)
    with warnings.catch_warnings(), image_module.open(path, formats=FORMATS) as image:
        warnings.simplefilter("ignore")  # what metadata are wrong with does not matter
        for frame in range(frames):
            image.seek(frame)
            yield frame + 1, _on_white(operations.exif_transpose(image), image_module)


def _on_white(image: Any, image_module: Any) -> Any:
    """Return the picture in RGB; what is transparent is white, as on paper."""
    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    opaque = image_module.new("RGBA", image.size, "white")
    opaque.alpha_composite(image.convert("RGBA"))
    return opaque.convert("RGB")
