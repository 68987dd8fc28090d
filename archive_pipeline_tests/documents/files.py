"""Documents made on the spot, with packages that are imported by who makes one."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas


def pdf(path: Path, *, locked_by: str | None = None) -> Path:
    """Three pages: headings, text and a table; text only; nothing but a picture."""
    from reportlab.lib.pdfencrypt import StandardEncryption

    canvas = _canvas(path, encrypt=None if locked_by is None else StandardEncryption(locked_by))
    _say(canvas, 24, 780, "Solar Power")
    for line in range(4):
        _say(canvas, 11, 740 - 14 * line, f"Line {line} says more about panels.")
    _say(canvas, 16, 640, "Methods")
    _say(canvas, 11, 610, "# no heading but a comment")
    canvas.grid([72, 172, 272], [400, 420, 440])
    for row, (left, right) in enumerate([("name", "a|b"), ("volts", "12")]):
        canvas.drawString(75, 425 - 20 * row, left)
        canvas.drawString(175, 425 - 20 * row, right)
    canvas.showPage()
    _say(canvas, 11, 740, "The second page goes on.")
    canvas.showPage()
    canvas.drawInlineImage(Image.new("RGB", (60, 60), "red"), 100, 500, 200, 200)
    canvas.showPage()
    canvas.save()
    return path


def two_columns(path: Path) -> Path:
    """Write a page whose left column is drawn before its right one."""
    canvas = _canvas(path)
    for column, name in ((72, "left"), (320, "right")):
        for line in range(3):
            canvas.drawString(column, 740 - 14 * line, f"{name} {line}")
    canvas.save()
    return path


def set_like_tex(path: Path) -> Path:
    """Write a line of words that are placed one by one, 2.5 points apart, without spaces."""
    canvas = _canvas(path)
    canvas.setFont("Helvetica", 11)
    place = 72.0
    for word in ("narrow", "gaps", "part", "words"):
        canvas.drawString(place, 740, word)
        place += canvas.stringWidth(word, "Helvetica", 11) + 2.5
    canvas.save()
    return path


def _canvas(path: Path, **options: Any) -> Canvas:
    from reportlab.pdfgen.canvas import Canvas

    return Canvas(str(path), pagesize=(595, 842), invariant=1, **options)


def _say(canvas: Canvas, size: int, height: int, text: str) -> None:
    canvas.setFont("Helvetica", size)
    canvas.drawString(72, height, text)


def docx(path: Path) -> Path:
    from docx import Document as NewDocx
    from docx.enum.text import WD_BREAK

    document = NewDocx()
    document.add_heading("Report", 0)
    document.add_heading("Findings", 1)
    paragraph = document.add_paragraph("Before the break")
    paragraph.add_run().add_break(WD_BREAK.PAGE)
    paragraph.add_run("after it.")
    document.add_heading("Details", 2)
    table = document.add_table(2, 2)
    table.cell(0, 0).text, table.cell(1, 1).text = "a|b", "x"
    document.add_picture(io.BytesIO(png_bytes()))
    document.save(path)
    return path


def pptx(path: Path) -> Path:
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Plan"
    first.placeholders[1].text = "buy\nbuild"
    first.notes_slide.notes_text_frame.text = "Speak slowly."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(1, 1).text = "cost", "12"
    second.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1)).text_frame.text = "Costs"
    second.shapes.add_picture(io.BytesIO(png_bytes()), Inches(1), Inches(5))
    deck.save(str(path))
    return path


def png_bytes(colour: str = "red") -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(target, "PNG")
    return target.getvalue()


def bomb(path: Path) -> Path:
    """Write a DOCX of some hundred kilobytes whose text unpacks to 50 MB, beside a picture that is as large packed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"<w:document>" + b" " * 50_000_000 + b"</w:document>")
        archive.writestr("word/media/image1.png", os.urandom(300_000))
    return path


def huge_png(path: Path) -> Path:
    """Write the head of a PNG that says it has 40,000 by 40,000 pixels."""
    head = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    data = b"IDAT" + zlib.compress(b"\0")
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + b"".join(
            struct.pack(">I", len(piece) - 4) + piece + struct.pack(">I", zlib.crc32(piece))
            for piece in (chunk, data, b"IEND")
        )
    )
    return path


def says(path: Path, text: str) -> Path:
    """Write a document of one page that says this."""
    if path.suffix == ".pdf":
        canvas = _canvas(path)
        _say(canvas, 11, 740, text)
        canvas.save()
    elif path.suffix == ".docx":
        from docx import Document as NewDocx

        document = NewDocx()
        document.add_paragraph(text)
        document.save(path)
    else:
        from pptx import Presentation
        from pptx.util import Inches

        deck = Presentation()
        box = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, Inches(4), Inches(1))
        box.text_frame.text = text
        deck.save(str(path))
    return path
