"""Elements whose ends are guessed are those that are found by scanning, in whole files and in broken ones."""

import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json import guessing
from archive_pipeline.readers.json.guessing import BoundaryGuesser
from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.scanner import ElementScanner
from archive_pipeline.readers.json.stream import stream_elements
from archive_pipeline_tests.trials import trials

TEXTS = st.text(alphabet='\\"[]{},: \nä\ud800a', max_size=8) | st.just('}]},{"id":')
# What may be taken for the beginning and the end of an element: objects in arrays that begin as elements do.
INNER = st.recursive(
    st.none() | st.integers(0, 9) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(st.fixed_dictionaries({"id": inner, "more": inner}), max_size=4)
    ),
    max_leaves=8,
)
ELEMENTS = st.lists(st.fixed_dictionaries({"id": INNER, "last": INNER}), min_size=2, max_size=9)
BROKEN = (b'"', b"}", b"]", b"{", b",", b'{"id":', b"\\", b"NaN", b"\xff", b"")


def is_record(value: object) -> bool:
    return isinstance(value, dict) and "last" in value


def read(data: bytes, block: int):
    return list(stream_elements(io.BytesIO(data), "f.json", kinds=Kinds.of(is_record), block_bytes=block))


def scanned(data: bytes, block: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoundaryGuesser, "can_begin", False)
        return read(data, block)


@pytest.mark.slow
@trials(60)
@given(ELEMENTS, st.integers(1, 60), st.sampled_from([None, 1]), st.booleans(), st.booleans())
def test_whole_files(elements, block, indent, is_ascii, is_framed):
    value = {"a": 1, "conversations": elements, "b": {"conversations": []}} if is_framed else elements
    data = json.dumps(value, indent=indent, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    assert read(data, block) == scanned(data, block)


@pytest.mark.slow
@trials(60)
@given(ELEMENTS, st.integers(1, 60), st.data())
def test_broken_files(elements, block, data):
    whole = json.dumps(elements).encode()
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 12)))
    broken = whole[:start] + data.draw(st.sampled_from(BROKEN)) + whole[end:]
    assert read(broken, block) == scanned(broken, block)


def elements_like(count: int, **more: object) -> list[dict[str, object]]:
    return [{"id": number, "text": "x" * 500, "inner": [{"id": 1}, {"id": 2}], **more} for number in range(count)]


@pytest.fixture
def fed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes were scanned, block by block."""
    sizes: list[int] = []
    feed = ElementScanner.feed
    monkeypatch.setattr(ElementScanner, "feed", lambda self, block: sizes.append(len(block)) or feed(self, block))
    return sizes


def test_what_is_guessed_is_not_scanned(fed: list[int]):
    elements = elements_like(100, last=[{"id": {}}])
    data = json.dumps(elements).encode()
    assert [item.value for item in read(data, 1_000)] == elements
    # The first elements, until one was seen and the block's end was reached, and the last one.
    assert sum(fed) < len(data) / 20


def test_what_the_strict_parser_does_not_take_ends_no_guessing(fed: list[int]):
    elements = elements_like(200, last=[{"id": {}}])
    for number in (50, 51, 52, 53, 54, 55, 56):
        elements[number]["text"] = f"half a character: \ud800{number}"
    data = json.dumps(elements).encode()
    items = read(data, 1_000)
    assert [item.value for item in items] == elements
    assert [number for number, item in enumerate(items) if item.warnings] == [50, 51, 52, 53, 54, 55, 56]
    assert sum(fed) < len(data) / 10


def test_objects_that_begin_as_elements_do_are_told_from_them_by_the_second_key(monkeypatch: pytest.MonkeyPatch):
    inner = [{"id": number, "name": "x"} for number in range(20)]
    elements = [{"id": number, "text": "y", "inner": inner} for number in range(100)]
    data = json.dumps(elements).encode()
    parsed: list[int] = []
    loads = guessing.orjson.loads
    monkeypatch.setattr(guessing.orjson, "loads", lambda raw: parsed.append(len(raw)) or loads(raw))
    assert [item.value for item in read(data, 1_000)] == elements
    # Each once, the first also to tell what the array is, and the last one as what is left.
    assert 98 <= len(parsed) <= 101


def test_guesses_that_are_mostly_wrong_end_soon(fed: list[int], monkeypatch: pytest.MonkeyPatch):
    # Within each element stand objects that begin and end as it does.
    inner = {"id": 1, "last": [[{}]]}
    elements = [{"id": number, "last": [inner] * 50, "end": [[{}]]} for number in range(20)]
    data = json.dumps(elements).encode()
    parsed: list[int] = []
    loads = guessing.orjson.loads
    monkeypatch.setattr(guessing.orjson, "loads", lambda raw: parsed.append(len(raw)) or loads(raw))
    assert [item.value for item in read(data, 100)] == elements
    assert sum(parsed) < 4 * len(data)


def test_an_element_that_is_too_large_to_be_guessed_is_scanned(monkeypatch: pytest.MonkeyPatch, fed: list[int]):
    monkeypatch.setattr(guessing, "MAX_GUESSED_BYTES", 5_000)
    elements = [*elements_like(10), {"id": 10, "text": "y" * 20_000}, *elements_like(10)]
    data = json.dumps(elements).encode()
    assert [item.value for item in read(data, 1_000)] == elements
    assert sum(fed) > 20_000


@example([{"id": 1, "last": 2}, {"id": 3, "last": 4}], 9)
@given(ELEMENTS, st.integers(1, 60))
def test_a_file_that_cannot_be_read_on_says_how_far_it_was_read(elements, block):
    class Breaking(io.BytesIO):
        def read(self, size=-1, /):
            if self.tell() >= len(whole) // 2:
                raise OSError("broken")
            return super().read(size)

    whole = json.dumps(elements).encode()
    items = list(stream_elements(Breaking(whole), "f.json", kinds=Kinds.of(is_record), block_bytes=block))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoundaryGuesser, "can_begin", False)
        assert items == list(stream_elements(Breaking(whole), "f.json", kinds=Kinds.of(is_record), block_bytes=block))
    assert isinstance(items[-1], RejectedRecord)
