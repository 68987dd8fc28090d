"""Documents to pages: what is read of each format, and what is said of what cannot be read."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from archive_pipeline.documents import limits
from archive_pipeline.documents.pagination import PAGE_CHARACTERS
from archive_pipeline.documents.reading import read_document
from archive_pipeline.documents.records import Kind
from archive_pipeline.errors import MissingExtraError, UnreadableDocumentError
from archive_pipeline_tests.documents import files, hostile


def test_a_pdf_has_headings_by_size_tables_and_pictures(tmp_path: Path):
    document = read_document(files.pdf(tmp_path / "a.pdf"))
    first, second, third = document.pages
    assert (document.kind, document.extension) == (Kind.PDF, "pdf")
    assert first.markdown == (
        "# Solar Power\n\n"
        "Line 0 says more about panels.\nLine 1 says more about panels.\n"
        "Line 2 says more about panels.\nLine 3 says more about panels.\n\n"
        "## Methods\n\n\\# no heading but a comment\n\n"
        "| name | a\\|b |\n| --- | --- |\n| volts | 12 |"
    )
    assert [(heading.level, heading.text) for heading in first.headings] == [(1, "Solar Power"), (2, "Methods")]
    assert (first.num_headings, first.num_tables, first.num_pictures) == (2, 1, 0)
    assert (first.section_path, first.parent_heading) == ("Solar Power", "Solar Power")
    assert (second.markdown, second.section_path) == ("The second page goes on.", "Solar Power > Methods")
    assert second.parent_heading == "Methods"
    assert (third.markdown, third.num_pictures) == ("", 1)
    assert document.notes == (f"{tmp_path / 'a.pdf'}: 1 of 3 pages have no text, only their image",)


def test_pages_of_a_pdf_are_drawn_in_order(tmp_path: Path):
    document = read_document(files.pdf(tmp_path / "a.pdf"))
    images = {number: decoded(image.png) for number, image in document.page_images()}
    assert list(images) == [1, 2, 3]
    assert images[1].size == (1240, 1755)  # A4 at 150 dots an inch
    assert images[3].getpixel((400, 500)) == (255, 0, 0)


def test_columns_of_a_pdf_stay_columns(tmp_path: Path):
    page = read_document(files.two_columns(tmp_path / "a.pdf")).pages[0]
    assert page.markdown.split() == ["left", "0", "left", "1", "left", "2", "right", "0", "right", "1", "right", "2"]


def test_words_that_no_space_parts_are_words(tmp_path: Path):
    page = read_document(files.set_like_tex(tmp_path / "a.pdf")).pages[0]
    assert page.markdown == "narrow gaps part words"


def test_a_docx_has_its_headings_tables_and_page_breaks(tmp_path: Path):
    document = read_document(files.docx(tmp_path / "a.docx"))
    first, second = document.pages
    assert first.markdown == "# Report\n\n# Findings\n\nBefore the break"
    assert second.markdown.startswith("after it.\n\n## Details\n\n|")
    assert "| a\\|b |  |" in second.markdown
    assert (second.section_path, second.num_tables, second.num_pictures) == ("Findings", 1, 1)
    assert list(document.page_images()) == []


def test_a_pptx_has_a_page_per_slide(tmp_path: Path):
    first, second = read_document(files.pptx(tmp_path / "a.pptx")).pages
    assert first.markdown == "# Plan\n\n- buy\n- build\n\n**Notes:** Speak slowly."
    assert (first.section_path, second.section_path) == ("Plan", None)
    assert second.markdown.startswith("Costs\n\n| cost |  |\n| --- | --- |\n|  | 12 |\n\n![")
    assert (second.num_tables, second.num_pictures) == (1, 1)


@pytest.mark.parametrize("link", ["r:link", "r:embed"])
def test_a_picture_of_a_slide_may_be_a_link_or_be_missing(tmp_path: Path, link: str):
    from pptx import Presentation
    from pptx.oxml.ns import qn

    deck = Presentation(str(files.pptx(tmp_path / "a.pptx")))
    [blip] = deck.slides[1].shapes[-1].element.iter(qn("a:blip"))
    del blip.attrib[qn("r:embed")]
    blip.set(qn(link), "rId99")
    deck.save(str(tmp_path / "a.pptx"))
    assert [page.num_pictures for page in read_document(tmp_path / "a.pptx").pages] == [0, 1]


def test_scripts_and_embedded_data_of_html_are_left_out(tmp_path: Path):
    path = tmp_path / "a.html"
    path.write_text(
        "<html><head><title>T</title><style>p {}</style></head><body><!-- secret --><h1>Hi</h1>"
        "<p>Say <script>steal()</script><a href='javascript:x()'>this</a> "
        "<a href='https://example.org'>link</a> <img src='data:image/png;base64,AAAA' alt='pic'></p>"
        "<table><tr><th>a|b</th></tr><tr><td>1</td></tr></table>"
        "<p style='page-break-before: always'>next</p></body></html>"
    )
    first, second = read_document(path).pages
    assert first.markdown == ("# Hi\n\nSay this [link](https://example.org) ![pic]()\n\n| a\\|b |\n| --- |\n| 1 |")
    assert (first.num_tables, first.num_pictures, second.markdown) == (1, 1, "next")


def test_markdown_is_cut_before_headings_and_stays_what_it_is(tmp_path: Path):
    path = tmp_path / "a.md"
    text = "\n\n".join(f"## Part {part}\n\n" + "word " * 300 for part in range(4))
    path.write_text(f"# Title\n\n{text}\n")
    pages = read_document(path).pages
    assert [page.section_path for page in pages] == ["Title", "Title > Part 2"]
    assert pages[1].markdown.startswith("## Part 2")
    assert all(len(page.markdown) <= PAGE_CHARACTERS for page in pages)
    assert "\n\n".join(page.markdown.strip() for page in pages).split() == path.read_text().split()


def test_headings_in_code_are_no_headings(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text("# One *and* `two`\n\n```\n# no\n![no](x.png)\n```\n\n![yes](y.png)\n")
    page = read_document(path).pages[0]
    assert [heading.text for heading in page.headings] == ["One and two"]
    assert page.num_pictures == 1


def test_plain_text_is_kept_as_it_is(tmp_path: Path):
    path = tmp_path / "a.log"
    path.write_bytes(b"# not a heading\r\n*x*\x0csecond page")
    document = read_document(path)
    assert [page.markdown for page in document.pages] == ["# not a heading\n*x*", "second page"]
    assert (document.kind, document.extension, document.pages[0].num_headings) == (Kind.TEXT, "log", 0)


@pytest.mark.parametrize(("name", "frames"), [("a.png", 1), ("a.jpg", 1), ("a.webp", 1), ("a.gif", 1), ("a.tiff", 2)])
def test_a_picture_is_a_page_without_text(tmp_path: Path, name: str, frames: int):
    image = Image.new("RGB", (40, 30), "red")
    image.save(tmp_path / name, **({"save_all": True, "append_images": [image]} if frames == 2 else {}))
    document = read_document(tmp_path / name)
    assert [(page.markdown, page.num_pictures) for page in document.pages] == [("", 1)] * frames
    assert [decoded(drawn.png).size for _, drawn in document.page_images()] == [(40, 30)] * frames


@pytest.mark.parametrize("name", ["a.jpg", "a.jpeg"])
def test_a_jpeg_with_further_pictures_behind_it_is_a_jpeg(tmp_path: Path, name: str):
    image = Image.new("RGB", (40, 30), "red")
    image.save(tmp_path / name, "MPO", save_all=True, append_images=[image])
    document = read_document(tmp_path / name)
    assert (document.extension, document.notes, len(document.pages)) == ("jpg", (), 1)


def decoded(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png))


@pytest.mark.slow
def test_a_large_picture_is_drawn_small_turned_and_on_white(tmp_path: Path):
    image = Image.new("RGBA", (4_500, 3_000), (0, 0, 0, 0))
    image.paste((255, 0, 0, 255), (0, 0, 2_250, 3_000))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned to the right
    image.save(tmp_path / "a.png", exif=exif, compress_level=1)
    ((_, drawn),) = read_document(tmp_path / "a.png").page_images()
    page, thumbnail = decoded(drawn.png), decoded(drawn.thumbnail)
    assert (page.size, page.mode, max(thumbnail.size)) == ((1_333, 2_000), "RGB", 320)
    assert [page.getpixel((600, y)) for y in (100, 1_900)] == [(255, 0, 0), (255, 255, 255)]


def test_small_pictures_are_drawn_as_they_are(tmp_path: Path):
    image = Image.effect_noise((300, 200), 90).convert("P")
    image.save(tmp_path / "a.gif")
    ((_, drawn),) = read_document(tmp_path / "a.gif").page_images()
    assert decoded(drawn.png).tobytes() == Image.open(tmp_path / "a.gif").convert("RGB").tobytes()


def test_content_counts_and_not_the_name(tmp_path: Path):
    document = read_document(files.pdf(tmp_path / "a.docx"))
    assert document.kind is Kind.PDF
    assert document.notes[0].endswith("a.docx is named .docx but is PDF; it was read as that")


def test_a_pdf_may_begin_with_something_else(tmp_path: Path):
    content = files.pdf(tmp_path / "a.pdf").read_bytes()
    assert read_document(written(tmp_path / "a.pdf", b"\r\n\r\n" + content)).kind is Kind.PDF


def cut_off(make: Callable[[Path], Path], path: Path) -> Path:
    make(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    return path


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def zipped(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "<x>")
    return path


BAD = {
    "encrypted.pdf": (lambda path: files.pdf(path, locked_by="secret"), "is encrypted: save it without a password"),
    "garbage.pdf": (lambda path: written(path, b"%PDF-1.7\nnothing"), "is damaged or cut off"),
    "text.pdf": (lambda path: written(path, b"just text"), "is no PDF file"),
    "cut.docx": (lambda path: cut_off(files.docx, path), "is damaged or cut off: it is a zip that cannot be opened"),
    "cut.png": (lambda path: cut_off(lambda p: written(p, files.png_bytes()), path), "cannot be read"),
    "bomb.docx": (files.bomb, r"/word/document\.xml unpacks to 50 MB, .* times its size, and is not read"),
    "broken.docx": (lambda path: zipped(path, "word/document.xml"), "is damaged: "),
    "broken.pptx": (lambda path: zipped(path, "ppt/presentation.xml"), "is damaged: "),
    "sheet.xlsx": (lambda path: zipped(path, "xl/workbook.xml"), "is a spreadsheet"),
    "other.zip": (lambda path: zipped(path, "a.txt"), "is a zip, and neither a DOCX nor a PPTX"),
    "locked.docx": (
        lambda path: written(path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")),
        "is encrypted",
    ),
    "old.doc": (lambda path: written(path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1old"), "is an old Office file"),
    "huge.png": (files.huge_png, "pixels"),
    "flat.png": (lambda path: hostile.png_head(path, 0, 5), "pixels|cannot be read|is damaged"),
    "cyclic.pdf": (hostile.cyclic_page_tree, "says that it has 3 pages, and none can be found"),
    "declared.pdf": (lambda path: hostile.pages_declared(path, 1_000_000), "has 1,000,000 pages; at most 5,000"),
    "empty.pdf": (lambda path: hostile.pdf_of(path, hostile.NO_PAGES), "has no pages|cannot be opened as a PDF"),
    "headless.pdf": (lambda path: written(path, b"%PDF-1.7"), "is damaged or cut off"),
    "entities.docx": (hostile.entity_bomb, "is damaged: .*amplification"),
    "entities.pptx": (hostile.entity_bomb, "is damaged: .*amplification"),
    "deep.docx": (hostile.deep_docx, "is nested too deeply|is damaged"),
    "small_members.docx": (hostile.zip_bomb_of_small_members, r"unpacks to 631 MB, .* times its size"),
    "overlapping.pptx": (hostile.overlapping_members, r"unpacks to .* MB, .* times its size"),
    "many_members.docx": (hostile.many_members, "has 20,0.. members; at most 20,000"),
    "empty.md": (lambda path: written(path, b""), "is empty"),
    "blank.md": (lambda path: written(path, b" \n"), "holds no text"),
    "blank.html": (lambda path: written(path, b"<html><script>x</script></html>"), "holds no text"),
    "binary.txt": (lambda path: written(path, b"a\0b"), "is neither text nor a document of a known format"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_said_in_a_line(tmp_path: Path, name: str):
    make, reason = BAD[name]
    path = make(tmp_path / name)
    with pytest.raises(UnreadableDocumentError, match=reason) as raised:
        read_document(path)
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)


def test_a_pdf_that_is_cut_off_gives_its_pages_or_a_reason(tmp_path: Path):
    whole = files.pdf(tmp_path / "whole.pdf").read_bytes()
    for share in range(1, 10):
        path = written(tmp_path / "cut.pdf", whole[: len(whole) * share // 10])
        try:
            assert read_document(path).pages
        except UnreadableDocumentError as error:
            assert str(error).startswith(str(path))  # noqa: PT017 (either is right)


@pytest.mark.slow
def test_html_that_is_nested_without_end_gives_its_text_or_a_reason(tmp_path: Path):
    path = written(tmp_path / "deep.html", b"<div>" * 100_000 + b"deep")
    try:
        assert "deep" in read_document(path).pages[0].markdown
    except UnreadableDocumentError as error:
        assert "\n" not in str(error)  # noqa: PT017


def test_a_pdf_that_says_it_has_more_pages_than_it_has_gives_them_with_a_note(tmp_path: Path):
    document = read_document(hostile.pages_declared(tmp_path / "a.pdf", 4))
    assert (len(document.pages), len(list(document.page_images()))) == (1, 1)
    assert "a.pdf says that it has 4 pages; 1 of them can be found" in document.notes[-1]


@pytest.mark.parametrize("name", ["a.gif", "a.webp", "a.png"])
def test_of_a_picture_that_moves_the_first_frame_is_read(tmp_path: Path, name: str):
    document = read_document(hostile.animation(tmp_path / name, 200))
    ((_, drawn),) = document.page_images()
    assert (len(document.pages), decoded(drawn.png).size) == (1, (40, 30))


def test_sums_over_a_file_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "MAX_CHARACTERS", 100)
    with pytest.raises(UnreadableDocumentError, match=r"a\.pdf has more than .* characters"):
        read_document(files.pdf(tmp_path / "a.pdf"))
    monkeypatch.setattr(limits, "MAX_PIXELS_TOGETHER", 2_000)
    with pytest.raises(UnreadableDocumentError, match="has 2,400 pixels in its frames; at most 2,000"):
        read_document(hostile.animation(tmp_path / "a.tiff", 3))
    for bound in ("MAX_XML_BYTES", "MAX_UNPACKED_BYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(limits, bound, 5_000)
            with pytest.raises(UnreadableDocumentError, match="MB of it XML, and is not read"):
                read_document(files.docx(tmp_path / "a.docx"))


def test_too_large_and_too_many_pages_are_turned_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "MAX_PAGES", 2)
    with pytest.raises(UnreadableDocumentError, match="has 3 pages; at most 2 are read: split it"):
        read_document(files.pdf(tmp_path / "a.pdf"))
    with (tmp_path / "a.md").open("wb") as sparse:
        sparse.truncate(limits.MAX_TEXT_BYTES + 1)
    with pytest.raises(UnreadableDocumentError, match="at most 20 MB are read of this format"):
        read_document(tmp_path / "a.md")


def test_without_the_extra_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = files.pdf(tmp_path / "a.pdf")
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError, match=r"needs pypdfium2: pip install 'llm-archive-pipeline\[documents\]'"):
        read_document(path)
