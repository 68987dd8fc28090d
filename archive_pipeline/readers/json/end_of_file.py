"""What the end of a file says about it, and what an array that does not end still holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.documents import Place
from archive_pipeline.readers.json.element_maker import ElementMaker, beside
from archive_pipeline.readers.json.large_objects import LargeObjectScanner
from archive_pipeline.readers.json.nesting import Element, holds_record
from archive_pipeline.readers.json.recovery import Gap, members_of, resume
from archive_pipeline.readers.json.rejections import in_no_array, whole_file
from archive_pipeline.readers.json.slices import Slice


def end_of_file(scanner: LargeObjectScanner, maker: ElementMaker) -> Iterator[Element | RejectedRecord]:
    """Yields what the end of the file says about it: nothing, if it is complete."""
    locator = maker.locator
    rest = scanner.finish()
    if scanner.comma_offset is not None:
        yield in_no_array(scanner.comma_offset, locator)
    if scanner.stray_offset is not None:
        what = "unexpected data after the end of the JSON" if maker.index else "the file is not a JSON array or object"
        yield whole_file(f"{locator} @ byte {scanner.stray_offset}", what)
    elif scanner.place is Place.START:
        what = "the file holds nothing but white space" if scanner.position else "the file is empty"
        yield whole_file(locator, what)
    elif scanner.place is Place.ARRAY:
        if len(rest) > 1:  # the fields before the array
            yield from maker.frame(replace(rest[1], raw=rest[1].raw + scanner.closing))
        yield from _unfinished(rest[0], scanner, maker)
    elif scanner.place is Place.OBJECT:
        yield from _unfinished_object(rest[0], scanner.position, maker)


def _unfinished(rest: Slice, scanner: LargeObjectScanner, maker: ElementMaker) -> Iterator[Element | RejectedRecord]:
    """Yields what an array that does not end still holds."""
    if not rest.raw:
        yield maker.cut_off(Gap(scanner.position, b"", None))
        return
    index = maker.index
    last = maker.element(rest)
    if isinstance(last, Element) and isinstance(last.value, dict | list):
        yield last  # the break is exactly behind a complete element
        yield maker.cut_off(Gap(rest.offset + len(rest.raw), b"", None))
        return
    maker.index = index
    yield from _saved(resume(rest, maker.kinds.is_record, maker.budget), maker)


def _unfinished_object(rest: Slice, end: int, maker: ElementMaker) -> Iterator[Element | RejectedRecord]:
    """Yields what an object that ends nowhere still holds; of one that is a record itself a part is lost."""
    begin = end - len(rest.raw) if rest.is_frame else rest.offset  # the elements were taken out of a frame
    whole, last = members_of(replace(rest, offset=begin))
    element = maker.element(whole)
    parts = resume(last, maker.kinds.is_record, maker.budget)
    first = next(parts)
    is_around = rest.is_frame or isinstance(first, Slice) or first.resumes_at is not None
    if isinstance(element, Element):
        is_around = not maker.kinds.is_record(element.value) and (
            is_around or holds_record(element.value, maker.kinds.is_inner)
        )
    if is_around:
        yield from [element] if isinstance(element, RejectedRecord) else beside(element)
        yield from _saved(chain([first], parts), maker)
    else:
        yield maker.cut_off(Gap(rest.offset, rest.raw, None))


def _saved(parts: Iterable[Slice | Gap], maker: ElementMaker) -> Iterator[Element | RejectedRecord]:
    """Yields what could be saved at the end of a file that may be cut off."""
    inside = 0  # so many containers
    for part in parts:
        if isinstance(part, Slice):
            yield maker.element(part)
        elif part.begins_container:
            inside += part.opened
        elif part.resumes_at is not None:
            yield maker.broken(part)
        elif not part.closes_array(inside):
            yield maker.cut_off(part)
