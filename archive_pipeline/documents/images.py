"""Pictures: one page without text, whose image is the picture; a TIFF has a page per frame. Images of pages as PNG."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from archive_pipeline.documents.limits import check_pages, check_pixels, check_pixels_together
from archive_pipeline.documents.records import Document, Kind, Page, PageDone, PageImage
from archive_pipeline.documents.structure import EXTRA, PURPOSE
from archive_pipeline.domain.optional import import_optional

LARGEST_SIDE: Final = 2_000
THUMBNAIL_SIDE: Final = 320
# Pillow reads dozens more, some through programs of the system; these are what documents come as.
FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP")
_PAGED: Final = frozenset({"TIFF"})
# What Pillow calls a JPEG with further pictures behind it, such as depth and highlights, as phones make them.
_EXTENSIONS: Final = {"JPEG": "jpg", "MPO": "jpg"}
# The tag of Exif that says how the camera was held.
_ORIENTATION: Final = 0x0112
# Converting makes several copies, of so much at a time.
_BAND_PIXELS: Final = 4_000_000


def read_image(path: Path, name: str, page_done: PageDone) -> Document:
    """Read a picture, to its end: one that is cut off is turned away."""
    image_module = import_optional("PIL.Image", extra=EXTRA, purpose=PURPOSE)
    pixels = 0
    with warnings.catch_warnings(), image_module.open(path, formats=FORMATS) as image:
        warnings.simplefilter("ignore")  # what metadata are wrong with does not matter
        check_pixels(image.size, name)
        frames = image.n_frames if image.format in _PAGED else 1
        extension = _EXTENSIONS.get(image.format, image.format.lower())
        check_pages(frames, name)
        for frame in range(frames):
            image.seek(frame)
            pixels += check_pixels(image.size, name)
            check_pixels_together(pixels, name)
            image.load()
            page_done()
    pages = tuple(Page(number, "", num_pictures=1) for number in range(1, frames + 1))
    return Document(Kind.IMAGE, extension, pages, page_images=lambda: _frames(path, frames, name))


def _frames(path: Path, frames: int, name: str) -> Iterator[tuple[int, PageImage]]:
    image_module = import_optional("PIL.Image", extra=EXTRA, purpose=PURPOSE)
    operations = import_optional("PIL.ImageOps", extra=EXTRA, purpose=PURPOSE)
    with warnings.catch_warnings(), image_module.open(path, formats=FORMATS) as image:
        warnings.simplefilter("ignore")
        for frame in range(frames):
            image.seek(frame)
            check_pixels(image.size, name)
            small = _on_white(image, image_module)
            if (turned := image.getexif().get(_ORIENTATION)) is not None:
                small.getexif()[_ORIENTATION] = turned
            yield frame + 1, page_image(operations.exif_transpose(small))


def page_image(image: Any) -> PageImage:
    """Return a ``PIL.Image.Image`` as the image of a page."""
    image = image if image.mode == "RGB" else image.convert("RGB")
    encoded = []
    for side in (LARGEST_SIDE, THUMBNAIL_SIDE):
        image.thumbnail((side, side))
        target = io.BytesIO()
        image.save(target, "PNG")
        encoded.append(target.getvalue())
    return PageImage(*encoded)


def _on_white(image: Any, image_module: Any) -> Any:
    """Return the picture in RGB, not much larger than an image of a page; what is transparent is white, as on paper.

    It is made in bands: a picture is held once, and not once for each step.
    """
    image.load()
    factor = max(1, max(image.size) // (2 * LARGEST_SIDE))
    small = image_module.new("RGB", (-(-image.width // factor), -(-image.height // factor)))
    rows = factor * max(1, _BAND_PIXELS // (image.width * factor))
    for top in range(0, image.height, rows):
        band = image.crop((0, top, image.width, min(top + rows, image.height)))
        small.paste(_opaque(band, image_module).reduce(factor), (0, top // factor))
    return small


def _opaque(image: Any, image_module: Any) -> Any:
    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    white = image_module.new("RGBA", image.size, "white")
    white.alpha_composite(image.convert("RGBA"))
    return white.convert("RGB")
