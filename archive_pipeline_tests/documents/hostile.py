"""Documents that are made to do harm, or look like it."""

from __future__ import annotations

import copy
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

from archive_pipeline_tests.documents import files

_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
NO_PAGES = {1: _CATALOG, 2: b"<</Type/Pages/Kids[]/Count 0>>"}
_ONE_PAGE = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"


def pdf_of(path: Path, objects: Mapping[int, bytes]) -> Path:
    """Write a PDF of these objects; the first one is its catalogue."""
    data = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, content in objects.items():
        places[number] = len(data)
        data += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (max(objects) + 1)
    for number in range(1, max(objects) + 1):
        data += b"%010d 00000 n \n" % places[number]
    data += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (max(objects) + 1, start)
    path.write_bytes(data)
    return path


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    return _packed_stream(zlib.compress(content, 9), entries)


def _packed_stream(packed: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d/Filter/FlateDecode%b>>\nstream\n%b\nendstream" % (len(packed), entries, packed)


def _packed(block: bytes, times: int) -> bytes:
    """Compress a block so many times over without looking at more than one: a second for 500 MB otherwise."""
    packer = zlib.compressobj(9)
    start = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    one = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)  # refers to nothing before it
    checksum = 1
    for _ in range(times):
        checksum = zlib.adler32(block, checksum)
    last = b"\x03\x00"  # the block that ends the stream; nothing is in it
    return start + one * times + last + struct.pack(">I", checksum)


def cyclic_page_tree(path: Path) -> Path:
    """Write a PDF whose node of pages is its own only child."""
    return pdf_of(path, {1: _CATALOG, 2: b"<</Type/Pages/Kids[2 0 R]/Count 3>>"})


def pages_declared(path: Path, number: int) -> Path:
    """Write a PDF of one page that says it has so many."""
    pages = b"<</Type/Pages/Kids[3 0 R]/Count %d>>" % number
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>"
    return pdf_of(path, {1: _CATALOG, 2: pages, 3: page, 4: _stream(b" ")})


def nested_forms(path: Path, depth: int = 40) -> Path:
    """Write a PDF whose page draws a form ten times, which draws another one ten times, and so on."""
    objects = {
        1: _CATALOG,
        2: _ONE_PAGE,
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>",
        4: _stream(b"/F Do"),
    }
    for level in range(depth):
        form = b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<</F %d 0 R>>>>" % (6 + level)
        objects[5 + level] = _stream(b"/F Do " * 10, form)
    objects[5 + depth] = _stream(b" ", b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]")
    return pdf_of(path, objects)


def pdf_bomb(path: Path, unpacked: int = 650_000_000) -> Path:
    """Write a PDF of some megabytes whose page is hundreds of megabytes of text."""
    lines = b"BT /F 9 Tf 1 1 Td (abcdefgh) Tj ET\n" * 10_000
    packed = _packed(lines, unpacked // len(lines))
    return pdf_of(
        path,
        {
            1: _CATALOG,
            2: _ONE_PAGE,
            3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
            4: _packed_stream(packed),
            5: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        },
    )


def png_of(path: Path, width: int, height: int) -> Path:
    """Write a PNG of one colour, whole, whatever its size."""
    pixels = _packed(b"\0" + b"\x7f" * (4 * width), height)
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + b"".join(
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
            for kind, content in ((b"IHDR", head), (b"IDAT", pixels), (b"IEND", b""))
        )
    )
    return path


def animation(path: Path, frames: int) -> Path:
    """Write a picture that moves."""
    first, *others = [Image.new("RGB", (40, 30), (frame % 256, 0, 0)) for frame in range(frames)]
    first.save(path, save_all=True, append_images=others)
    return path


def png_head(path: Path, width: int, height: int) -> Path:
    """Write a PNG that says it has this size, and has nothing else."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)))
    return path


_ENTITIES = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 12))
_DOCTYPE = f'<!DOCTYPE x [<!ENTITY e0 "{"lol" * 20}">{_ENTITIES}]>'


def entity_bomb(path: Path) -> Path:
    """Write a DOCX or PPTX whose text is an entity that stands for 10^11 others."""
    (files.docx if path.suffix == ".docx" else files.pptx)(path)
    part = "word/document.xml" if path.suffix == ".docx" else "ppt/slides/slide1.xml"
    return _changed(path, part, _with_entity)


def _with_entity(xml: bytes) -> bytes:
    declaration, _, rest = xml.decode().partition("?>")
    name = "w:t" if "<w:t>" in rest else "a:t"
    return f"{declaration}?>{_DOCTYPE}{rest.replace(f'<{name}>', f'<{name}>&e11;', 1)}".encode()


def zip_bomb_of_small_members(path: Path) -> Path:
    """Write a DOCX of a few megabytes that unpacks to 600 MB, none of its members larger than others are."""
    files.docx(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        for number in range(90):
            archive.writestr(f"word/media/image{number}.bin", bytes(7_000_000), compresslevel=1)
    return path


def overlapping_members(path: Path) -> Path:
    """Write a PPTX whose directory names the same 100 KB, which are not compressed, five hundred times."""
    files.pptx(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr("ppt/media/image0.bin", bytes(100_000))
        entry = archive.getinfo("ppt/media/image0.bin")
        for number in range(1, 500):
            other = copy.copy(entry)
            other.filename = f"ppt/media/image{number}.bin"
            archive.filelist.append(other)
            archive.NameToInfo[other.filename] = other
    return path


def many_members(path: Path) -> Path:
    """Write a DOCX of many parts, all of them empty."""
    files.docx(path)
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(20_000):
            archive.writestr(f"word/{number}", b"")
    return path


def deep_docx(path: Path, depth: int = 100_000) -> Path:
    """Write a DOCX whose elements are nested without end."""
    files.docx(path)
    text = "<w:sdt><w:sdtContent>" * depth + "<w:p/>" + "</w:sdtContent></w:sdt>" * depth
    return _changed(path, "word/document.xml", lambda xml: xml.replace(b"<w:body>", b"<w:body>" + text.encode(), 1))


def _changed(path: Path, part: str, change) -> Path:
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    contents[part] = change(contents[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path
