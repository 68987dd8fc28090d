"""Where files are shown: each once, in the place of what points to it first."""

from __future__ import annotations

from archive_pipeline.retrieval.reading.attached_files import AttachedContent
from archive_pipeline.retrieval.reading.messages import Attachment, Message, Part
from archive_pipeline.retrieval.reading.placed_files import place_files


def file(name: str, *pointers: str) -> AttachedContent:
    return AttachedContent("m", "file-1", name, "a" * 64, 3, "image/png", pointers)


def part(uri: str | None, text: str | None = None) -> Part:
    return Part("text" if text else "image", text, None, None, None, False, None, None, uri)


def attachment(pointer: str | None, *, text: str | None = None) -> Attachment:
    return Attachment("a.png", None, None, None, text, None, pointer)


def message(parts: list[Part], attachments: list[Attachment]) -> Message:
    return Message("m", "user", 0, None, None, None, "complete", False, None, parts, attachments)


def test_a_file_stands_where_a_part_points_to_it_and_nowhere_else():
    said, picture = part(None, "Look"), part("sediment://1")
    cat = file("cat.png", "1", "sediment://1")
    placed = place_files(message([said, picture, picture], [attachment("1")]), [cat])
    assert placed == ([(said, None), (picture, cat)], [])


def test_a_file_that_no_part_points_to_stands_with_its_attachment_or_alone():
    known, other = attachment("1"), attachment("2")
    cat, dog = file("cat.png", "1"), file("dog.png", "3")
    placed = place_files(message([], [other, known]), [cat, dog])
    assert placed.attachments == [(other, None), (known, cat), (None, dog)]


def test_the_text_of_an_attachment_stays_though_its_file_is_shown():
    picture, read = part("sediment://1"), attachment("1", text="A cat")
    placed = place_files(message([picture], [read]), [file("cat.png", "1", "sediment://1")])
    assert placed.attachments == [(read, None)]


def test_two_names_of_one_content_are_both_shown():
    cat, copy = file("cat.png", "1", "sediment://1"), file("copy.png", "2", "sediment://1")
    first, second = part("sediment://1"), attachment("2")
    placed = place_files(message([first], [attachment("1"), second]), [cat, copy])
    assert placed == ([(first, cat)], [(second, copy)])


def test_what_points_to_no_known_file_is_shown_as_it_is():
    unknown, pasted = part(None), attachment(None)
    assert place_files(message([unknown, unknown], [pasted]), []) == ([(unknown, None)] * 2, [(pasted, None)])
