"""Documents are read in a process of their own: what one does to its reader costs no other document anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from archive_pipeline.documents import limits, process
from archive_pipeline.documents.framing import BrokenFrameError, read_frame, write_frame
from archive_pipeline.documents.process import ReaderProcess
from archive_pipeline.documents.reading import read_document
from archive_pipeline.documents.records import Kind
from archive_pipeline.errors import ArchiveError, MissingExtraError, UnreadableDocumentError
from archive_pipeline_tests.documents import files, hostile
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.slow

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces limits of memory")


def reader_of(reader: ReaderProcess) -> psutil.Process:
    assert reader._process is not None
    return psutil.Process(reader._process.pid)


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_it_reads_as_one_does_in_this_process(tmp_path: Path):
    paths = [files.pdf(tmp_path / "a.pdf"), files.docx(tmp_path / "a.docx"), files.pptx(tmp_path / "a.pptx")]
    paths += [written(tmp_path / "a.html", "<h1>A</h1>b"), written(tmp_path / "\udcff a.md", "# A\n\nb \U0001f6b2")]
    with ReaderProcess() as reader:
        for path in paths:
            here, there = read_document(path), reader.read(path)
            assert there.pages == here.pages
            assert (there.kind, there.extension, there.notes) == (here.kind, here.extension, here.notes)
            assert list(there.page_images()) == list(here.page_images())
        named = reader.read(written(tmp_path / "b.pdf", "text"), name="a place", kind=Kind.TEXT)
        assert (named.kind, named.pages[0].markdown) == (Kind.TEXT, "text")


def test_one_process_reads_a_batch_and_ends_with_it(tmp_path: Path):
    with ReaderProcess() as reader:
        reader.read(files.pdf(tmp_path / "a.pdf"))
        first = reader_of(reader)
        for name in ("b.md", "c.md"):
            assert reader.read(written(tmp_path / name, "text")).pages
        with pytest.raises(UnreadableDocumentError, match="is empty"):
            reader.read(written(tmp_path / "empty.md", ""))
        assert reader_of(reader) == first
    assert not first.is_running()


def test_it_has_no_keys_no_addresses_and_no_modules_of_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ARCHIVE_DATABASE_URL", "postgresql://u:secret@h/d")
    monkeypatch.setenv("ARCHIVE_EMBEDDING_API_KEY", "secret")
    monkeypatch.chdir(tmp_path)
    for name in ("mammoth", "json", "psutil"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken over')")
    with ReaderProcess() as reader:
        assert reader.read(files.docx(tmp_path / "a.docx")).pages
        assert set(reader_of(reader).environ()) <= {*process._PASSED_ON, "PYTHONPATH", "PYTHONUTF8"}


@linux_only
def test_what_needs_too_much_memory_is_turned_away_and_the_rest_is_read(tmp_path: Path):
    path = hostile.pdf_bomb(tmp_path / "a.pdf")
    assert path.stat().st_size < 10_000_000
    with ReaderProcess() as reader:
        with pytest.raises(UnreadableDocumentError, match="needs more than 1,000 MB of memory") as raised:
            reader.read(path)
        assert str(raised.value).startswith(f"{path} ")
        assert reader.read(written(tmp_path / "good.md", "text")).pages[0].markdown == "text"


@linux_only
@pytest.mark.long
def test_the_largest_picture_is_read_within_the_limit(tmp_path: Path):
    with ReaderProcess() as reader:
        document = reader.read(hostile.png_of(tmp_path / "a.png", 10_000, 10_000))
        assert [number for number, _ in document.page_images()] == [1]


def test_what_takes_too_much_time_is_turned_away_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = hostile.nested_forms(tmp_path / "a.pdf")
    with_seconds(monkeypatch, tmp_path, 1)
    with ReaderProcess() as reader:
        with pytest.raises(UnreadableDocumentError, match="seconds of processor time for a page"):
            reader.read(path)
        assert reader.read(written(tmp_path / "good.md", "text")).pages


def with_seconds(monkeypatch: pytest.MonkeyPatch, folder: Path, seconds: int) -> None:
    """Give readers so much processor time for a page; they import what is in this folder first."""
    (folder / "sitecustomize.py").write_text(
        f"from archive_pipeline.documents import limits\nlimits.MAX_CPU_SECONDS = {seconds}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_a_reader_that_says_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with ReaderProcess() as reader:
        reader.read(written(tmp_path / "a.md", "text"))
        monkeypatch.setattr(process, "MAX_SILENT_SECONDS", 0.2)
        reader_of(reader).suspend()
        with pytest.raises(UnreadableDocumentError, match=r"a\.md was given up: no page of it was read within"):
            reader.read(tmp_path / "a.md")
        monkeypatch.undo()
        assert reader.read(tmp_path / "a.md").pages


@pytest.mark.parametrize("number", some_of([signal.SIGSEGV, signal.SIGKILL]))
def test_a_reader_that_ends_while_it_reads_is_said_and_replaced(tmp_path: Path, number: signal.Signals):
    with ReaderProcess() as reader:
        document = reader.read(files.pdf(tmp_path / "a.pdf"))
        images = document.page_images()
        next(images)
        reader_of(reader).send_signal(number)
        with pytest.raises(UnreadableDocumentError, match=r"a\.pdf (was given up|is damaged)"):
            list(images)
        assert reader.read(tmp_path / "a.pdf").pages == document.pages


def test_images_that_nobody_took_are_not_taken_for_those_of_another_document(tmp_path: Path):
    with ReaderProcess() as reader:
        first = reader.read(files.pdf(tmp_path / "a.pdf"))
        next(first.page_images())
        (tmp_path / "b.png").write_bytes(files.png_bytes())
        assert len(list(reader.read(tmp_path / "b.png").page_images())) == 1
        with pytest.raises(RuntimeError, match="another document was read"):
            next(first.page_images())


def test_a_reader_that_cannot_start_is_no_fault_of_a_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "psutil.py").write_text("raise ImportError('broken installation')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        ReaderProcess() as reader,
        pytest.raises(ArchiveError, match="cannot be started: ImportError: broken") as raised,
    ):
        reader.read(written(tmp_path / "a.md", "text"))
    assert not isinstance(raised.value, UnreadableDocumentError)


def test_a_reader_that_does_not_bound_the_pages_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "MAX_PAGES", 2)
    with ReaderProcess() as reader, pytest.raises(UnreadableDocumentError, match="has 3 pages; at most 2 are read"):
        reader.read(files.pdf(tmp_path / "a.pdf"))


def test_a_missing_extra_is_said_as_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "mammoth.py").write_text("raise ImportError('gone', name='mammoth')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with ReaderProcess() as reader, pytest.raises(MissingExtraError, match=r"needs mammoth: pip install"):
        reader.read(files.docx(tmp_path / "a.docx"))


# One that is no JSON, and one with a value of another type.
@pytest.mark.parametrize(
    "answer", some_of(["x", '{"is": "page", "page": 1}', '{"is": "page"}', '{"is": "read", "kind": "x"}', "[]"], 2)
)
def test_a_reader_that_something_got_hold_of_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
):
    (tmp_path / "pptx.py").write_text(
        "import os, struct\n"
        f"answer = {answer!r}.encode()\n"
        "for descriptor in range(3, 30):\n"
        "    try: os.write(descriptor, struct.pack('>II', len(answer), 0) + answer)\n"
        "    except OSError: pass\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with ReaderProcess() as reader:
        with pytest.raises(UnreadableDocumentError, match=r"a\.pptx (cannot be read: its reader|is damaged)"):
            reader.read(files.pptx(tmp_path / "a.pptx"))
        assert reader.read(written(tmp_path / "a.md", "text")).pages


# An image of a page that the document does not have, and what is none.
@pytest.mark.parametrize(
    "answer", some_of(['{"is": "image", "number": 1, "png_bytes": 0}', '{"is": "image"}', "{}", '{"is": []}'])
)
def test_a_reader_is_not_believed_while_it_draws_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str):
    (tmp_path / "pptx.py").write_text(
        "import os, struct\n"
        f'answers = [\'{{"is": "read", "kind": "pdf", "extension": "pdf", "notes": []}}\', {answer!r}]\n'
        "content = b''.join(struct.pack('>II', len(each), 0) + each.encode() for each in answers)\n"
        "for descriptor in range(3, 30):\n"
        "    try: os.write(descriptor, content)\n"
        "    except OSError: pass\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with ReaderProcess() as reader:
        document = reader.read(files.pptx(tmp_path / "a.pptx"))
        with pytest.raises(UnreadableDocumentError, match="its reader does not answer as it should"):
            list(document.page_images())
        assert reader.read(written(tmp_path / "a.md", "text")).pages


PARENT = """
import sys
from pathlib import Path
from archive_pipeline.documents.process import ReaderProcess
reader = ReaderProcess()
reader.read(Path(sys.argv[1]))
print(reader._process.pid, flush=True)
reader.read(Path(sys.argv[2]))
"""


@pytest.mark.parametrize("number", some_of([signal.SIGKILL, signal.SIGTERM]))
def test_a_reader_ends_with_its_parent_however_that_ends(tmp_path: Path, number: signal.Signals):
    slow = hostile.nested_forms(tmp_path / "slow.pdf")
    arguments = [sys.executable, "-c", PARENT, written(tmp_path / "a.md", "text"), slow]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.send_signal(number)
        parent.wait()
    child.wait(120)  # on Linux at once
    assert not child.is_running()


def test_frames_are_what_was_written_or_an_error():
    source, target = os.pipe()
    write_frame(target, {"name": "\udcff \U0001f6b2"}, b"content")
    assert read_frame(source) == ({"name": "\udcff \U0001f6b2"}, b"content")
    with pytest.raises(TimeoutError):
        read_frame(source, timeout=0)
    os.write(target, b"\xff" * 8)
    with pytest.raises(BrokenFrameError):
        read_frame(source)
    os.write(target, b"\0\0\0\1")
    os.close(target)
    with pytest.raises(BrokenFrameError):
        read_frame(source)
    assert read_frame(source) is None
    os.close(source)


def test_it_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    empty = tmp_path / "temporary"
    empty.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(empty))
    monkeypatch.setenv("TMPDIR", str(empty))
    with ReaderProcess() as reader:
        list(reader.read(files.pdf(tmp_path / "a.pdf")).page_images())
        assert list(empty.iterdir()) == []
