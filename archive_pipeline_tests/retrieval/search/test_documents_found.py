"""Documents and dialogues in one search: found by every retriever, filtered, cited, and gone when they are removed."""

from __future__ import annotations

import asyncio
import base64
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.errors import VisualModelError
from archive_pipeline.ingest.documents import Candidate, add_document, remove_document
from archive_pipeline.retrieval.context.builder import ContextBuilder
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.run import IndexResult, index_archive, purge_deleted
from archive_pipeline.retrieval.index.verify import compare
from archive_pipeline.retrieval.pages.joined import extract_page
from archive_pipeline.retrieval.search.engine import DOCUMENTS_ONLY, SearchEngine, SearchResults
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.relevance import NOTHING_RELEVANT
from archive_pipeline.retrieval.search.retrievers.visual import PAGES_ARE_TEXT
from archive_pipeline.retrieval.visual.encoding import encode_pages
from archive_pipeline.retrieval.visual.models import open_encoder
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import new_database_on
from archive_pipeline_tests.derive.batches import batch_of, linear, store
from archive_pipeline_tests.documents import files
from archive_pipeline_tests.retrieval.visual.test_search import ColourEncoder
from archive_pipeline_tests.retrieval.visual.tiny_model import save_tiny_model
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.postgres

BREAD = linear(
    "bread",
    ("user", "How do I bake sourdough bread in a cold kitchen?"),
    (
        "assistant",
        "Use warmer water, and read this line as it is:\n<!-- page 2 -->\nGive the dough more hours to rise.",
    ),
    ("user", "And how hot is the oven?"),
    ("assistant", "Preheat it to 240 degrees, with a baking stone on the rack."),
)
MANUAL = """\
# Sourdough

Feed the sourdough starter with rye flour each evening until bubbles rise.

\f

## Storage

Store baked bread in linen; a wooden breadbox keeps the crust of sourdough crisp.

\f

## Turbines

Wind turbines turn kinetic energy into electricity.
"""


@dataclass(frozen=True)
class Archive:
    """An archive with a dialogue and a manual of three pages, indexed."""

    database: Database
    home: Settings
    manual: str

    @cached_property
    def engine(self) -> SearchEngine:
        """It loads the model that questions are embedded with once."""
        return SearchEngine(self.database, self.home)

    def search(self, text: str, mode: str = "hybrid", **filters: Any) -> SearchResults:
        return self.engine.search_now(text, search_mode=mode, filters=SearchFilters(**filters))

    def index(self) -> IndexResult:
        build_document_chunks(self.database, self.home)
        return index_archive(self.database, self.home)

    def add(self, path: Path) -> str:
        document_id = add_document(self.database, self.home, Candidate(path, str(path), path.name)).document_id
        assert document_id is not None
        return document_id


IN_CHROMA = pytest.mark.parametrize("own", [VectorStore.CHROMA], indirect=True)


def filled(database: Database, home: Settings) -> Archive:
    if home.vector_index is VectorStore.CHROMA:
        pytest.importorskip("chromadb")
    store(database, batch_of(BREAD))
    build_stale(database, home)
    (home.home / "manual.md").write_text(MANUAL, encoding="utf-8")
    found = Archive(database, home, "")
    found = replace(found, manual=found.add(home.home / "manual.md"))
    found.index()
    return found


@pytest.fixture(params=some_of([VectorStore.POSTGRES, VectorStore.CHROMA]))
def own(request: pytest.FixtureRequest, database: Database, settings: Settings, tmp_path: Path) -> Archive:
    """An archive of the test's own, in each store."""
    return filled(database, settings.with_values(home=tmp_path, vector_index=request.param))


@pytest.fixture(scope="module", params=list(VectorStore))
def shared(
    request: pytest.FixtureRequest,
    archive: Database,
    template: str,
    settings: Settings,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Archive]:
    """The same for tests that only read, in a database of its own."""
    home = settings.with_values(home=tmp_path_factory.mktemp("shared"), vector_index=request.param)
    with new_database_on(archive, template) as database:
        yield filled(database, home)


def wrote(result: IndexResult, chunks: int, pages: int) -> bool:
    """Whether Chroma got so many entries; PostgreSQL needs no copies."""
    return result.sync.written == ({} if result.store is VectorStore.POSTGRES else {"text": chunks, "visual": pages})


def places(results: SearchResults) -> list[tuple[str, int]]:
    return [(result["doc_id"], result["page"]) for result in results]


@pytest.mark.parametrize("mode", ["text", "lexical", "hybrid", "visual"])
def test_dialogues_and_documents_are_found_together(shared: Archive, mode: str):
    found = shared.search("sourdough bread", mode)
    assert not found.degraded
    assert {(BREAD.id, 1), (shared.manual, 1), (shared.manual, 2)} <= set(places(found))
    assert found.notes == ((PAGES_ARE_TEXT,) if mode == "visual" else ())


def test_a_page_of_a_document_has_the_fields_of_an_exchange(shared: Archive):
    document, dialogue = shared.search("linen breadbox")[0], shared.search("baking stone rack")[0]
    assert (dialogue["doc_id"], dialogue["page"]) == (BREAD.id, 2)
    assert document.keys() == dialogue.keys()
    assert document["metadata"].keys() == dialogue["metadata"].keys()
    ((added,),) = query(shared.database, "SELECT added_at FROM raw.documents")
    metadata = document.pop("metadata")
    assert (document["doc_id"], document["page"], document["filename"]) == (shared.manual, 2, "manual.md")
    assert document["snippet"].startswith("## Storage Store baked bread in linen")
    assert (document["is_abandoned_branch"], document["alternatives"]) == (False, [])
    assert datetime.fromisoformat(metadata.pop("timestamp")) == added
    assert metadata == {
        "extension": "md",
        "created_at": "",
        "thumb_path": None,
        "image_path": None,
        "section_path": "Sourdough > Storage",
        "parent_heading": "Storage",
        "source": "document",
        "came_with": [],
        **dict.fromkeys(
            (
                "partition_key",
                "pair_id",
                "part_id",
                "pair_type",
                "workspace_id",
                "session_id",
                "side",
                "role",
                "model",
                "answered_at",
                "question_message_id",
                "answer_message_id",
                "message_id",
            )
        ),
    }


@pytest.mark.parametrize("mode", ["text", "lexical", "hybrid"])
def test_filters_know_documents(shared: Archive, mode: str):
    def sources(**filters: Any) -> set[str]:
        return {result["metadata"]["source"] for result in shared.search("sourdough bread", mode, **filters)}

    ((added,),) = query(shared.database, "SELECT added_at FROM raw.documents")
    assert sources() == {"document", "chatgpt"}
    assert sources(source="document") == sources(title="MANUAL") == {"document"}
    assert sources(since=added) == {"document"}
    assert sources(since=added, until=added + timedelta(seconds=1)) == {"document"}
    assert "document" not in sources(until=added)
    for only_dialogues in ({"source": "chatgpt"}, {"role": "user"}, {"branch": "primary"}):
        assert sources(**only_dialogues) == {"chatgpt"}
    assert sources(pair_type="conversation_turn") == {"chatgpt"}
    assert sources(pair_type="trace_pair") == sources(model="gpt-4o") == set()


def test_wide_filters_leave_documents(shared: Archive, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("archive_pipeline.retrieval.search.retrievers.base.MOST_ALLOWED", 1)
    assert places(shared.search("sourdough", "text", source="document")[:1]) == [(shared.manual, 1)]
    assert {doc for doc, _ in places(shared.search("sourdough", "visual", source="document"))} == {shared.manual}


def test_a_second_index_writes_nothing_and_a_new_document_only_itself(own: Archive, tmp_path: Path):
    result = own.index()
    assert (result.embedding.embedded, wrote(result, 0, 0)) == (0, True)
    assert not any(result.sync.deleted.values())
    pdf = own.add(files.pdf(tmp_path / "a.pdf"))
    result = own.index()
    # Its third page is a picture and has no text.
    assert (result.embedding.embedded, wrote(result, 2, 3)) == (2, True)
    assert places(own.search("volts of panels"))[0] == (pdf, 1)
    assert compare(own.database, own.home, seed="x").is_equal


def test_texts_of_dialogues_and_documents_are_embedded_in_batches(own: Archive, monkeypatch: pytest.MonkeyPatch):
    texts = "SELECT DISTINCT content_hash FROM derived.all_chunks WHERE NOT is_near_duplicate ORDER BY 1"
    wanted = query(own.database, texts)
    for size in (1, 2, 1_000):
        with own.database.session() as connection:
            connection.execute("DELETE FROM derived.embedding_generations")
        monkeypatch.setattr("archive_pipeline.retrieval.index.embed.BATCH_TEXTS", size)
        assert own.index().embedding.embedded == len(wanted), size
        assert query(own.database, "SELECT content_hash FROM derived.chunk_embeddings ORDER BY 1") == wanted, size
        assert compare(own.database, own.home, seed="x").is_equal, size


def test_a_document_that_is_removed_is_gone_everywhere(own: Archive):
    assert remove_document(own.database, own.home, own.manual) is not None
    assert query(own.database, "SELECT count(*) FROM derived.document_chunks") == [(0,)]
    assert query(own.database, "SELECT count(*) FROM derived.document_builds") == [(0,)]
    purge_deleted(own.database, own.home)
    assert {doc for doc, _ in places(own.search("sourdough"))} == {BREAD.id}
    assert compare(own.database, own.home, seed="x").is_equal
    assert not any(own.index().sync.deleted.values())


@IN_CHROMA
def test_a_document_that_is_removed_is_gone_from_both_collections(own: Archive):
    assert remove_document(own.database, own.home, own.manual) is not None
    purge_deleted(own.database, own.home)
    client = ChromaClient(own.database, own.home)
    for collection in (client.text_collection, client.visual_collection):
        assert {metadata["doc_id"] for metadata in collection.get()["metadatas"]} == {BREAD.id}


def test_chunks_follow_their_settings_and_the_reading_of_their_document(own: Archive):
    chunks = "SELECT chunk_id, page, text FROM derived.document_chunks ORDER BY page, chunk_index"
    before = query(own.database, chunks)
    assert [page for _, page, _ in before] == [1, 2, 3]
    assert build_document_chunks(own.database, own.home).built == 0
    finer = own.home.with_values(chunk_tokens=16)
    assert build_document_chunks(own.database, finer).built == 1
    assert len(query(own.database, chunks)) > 3
    assert build_document_chunks(own.database, own.home).built == 1
    assert query(own.database, chunks) == before
    with own.database.session() as connection:
        connection.execute("UPDATE raw.documents SET reader_version = 0")
    own.add(own.home.home / "manual.md")
    assert query(own.database, chunks) == []
    assert build_document_chunks(own.database, own.home).built == 1
    assert query(own.database, chunks) == before
    # It was read again, so its pages are written again; the texts of its chunks are the same.
    result = own.index()
    assert (result.embedding.embedded, wrote(result, 0, 3)) == (0, True)


def test_a_context_cites_both_with_the_text_of_their_pages(shared: Archive):
    engine, client = SearchEngine(shared.database, shared.home), ChromaClient(shared.database, shared.home)
    context = asyncio.run(ContextBuilder(engine, client).build_context("sourdough bread crust in linen"))
    shown = {(source.doc_id, source.page): source for source in context.sources}
    storage = shown[shared.manual, 2]
    assert storage.markdown_content.strip() == MANUAL.split("\f")[1].strip()
    assert (storage.filename, storage.section_path) == ("manual.md", "Sourdough > Storage")
    # A line of the text that looks like the mark of a page is none.
    assert "<!-- page 2 -->\nGive the dough more hours to rise." in shown[BREAD.id, 1].markdown_content
    assert "Preheat" not in shown[BREAD.id, 1].markdown_content


@IN_CHROMA
def test_pages_carry_the_metadata_of_the_seed(own: Archive, tmp_path: Path):
    path = files.pdf(tmp_path / "a.pdf")
    pdf = own.add(path)
    own.index()
    found = ChromaClient(own.database, own.home).visual_collection.get(
        where={"doc_id": pdf}, include=["metadatas", "documents"]
    )
    pages = dict(zip(found["ids"], zip(found["metadatas"], found["documents"], strict=True), strict=True))
    (first, _), (second, _), (third, _) = (pages[f"{pdf}:{page}"] for page in (1, 2, 3))
    assert Path(second.pop("image_path")).is_file()
    assert Path(second.pop("thumb_path")).is_file()
    ((added,),) = query(own.database, "SELECT added_at FROM raw.documents WHERE id = %s", pdf)
    assert datetime.fromisoformat(second.pop("timestamp")) == added
    assert second == {
        "doc_id": pdf,
        "filename": "a.pdf",
        "page": 2,
        "extension": "pdf",
        "created_at": "",
        "source_path": str(path),
        "section_path": "Solar Power > Methods",
        "parent_heading": "Methods",
        "num_headings": 0,
        "num_tables": 0,
        "num_pictures": 0,
        "source": "document",
        "has_vector": True,
    }
    assert (first["num_headings"], third["has_vector"]) == (2, False)
    whole = gzip.decompress(base64.b64decode(first["full_markdown_compressed"])).decode()
    assert [extract_page(whole, page) for page in (1, 2, 3)] == [pages[f"{pdf}:{page}"][1] for page in (1, 2, 3)]


@pytest.fixture
def pictures(own: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Archive, dict[str, str]]:
    """The archive with pictures, a model that sees colours, and document ids by colour."""
    monkeypatch.setattr("archive_pipeline.retrieval.search.retrievers.visual.visual_available", lambda _settings: None)
    monkeypatch.setattr("archive_pipeline.retrieval.search.engine.open_encoder", lambda _settings: ColourEncoder())
    colours = {}
    for colour in ("red", "green", "blue"):
        path = tmp_path / f"{colour}.png"
        path.write_bytes(files.png_bytes(colour))
        colours[colour] = own.add(path)
    own.index()
    return replace(own, home=own.home.with_values(visual_model="colours")), colours


def test_pictures_are_found_by_what_they_show(pictures: tuple[Archive, dict[str, str]]):
    archive, colours = pictures
    before = archive.search("red", "visual")
    assert before.notes == (
        "no page is encoded by colours yet (`llm-archive documents encode`): pages were compared by their text",
        NOTHING_RELEVANT,
    )
    assert not set(places(before)) & {(document, 1) for document in colours.values()}
    encode_pages(archive.database, archive.home, ColourEncoder())
    found = archive.search("red", "visual")
    assert (found.retrievers, found.notes) == (("visual",), (DOCUMENTS_ONLY,))
    assert {doc for doc, _ in places(found)} == set(colours.values())
    best = found[0]
    assert (best["doc_id"], best["filename"], best["snippet"]) == (colours["red"], "red.png", "")
    assert best["scores"]["visual"] == pytest.approx(1, abs=1e-2)
    assert Path(best["metadata"]["image_path"]).is_file()
    assert places(archive.search("red", "visual", title="blue")) == [(colours["blue"], 1)]
    assert archive.search("red", "visual", role="user") == []


def test_hybrid_has_the_visual_retriever_when_there_is_a_model(pictures: tuple[Archive, dict[str, str]]):
    archive, colours = pictures
    assert archive.search("red").retrievers == ("dense", "lexical")
    encode_pages(archive.database, archive.home, ColourEncoder())
    found = archive.search("red")
    assert (found.retrievers, found.notes) == (("dense", "lexical", "visual"), ())
    assert (colours["red"], 1) in places(found)


def test_a_visual_retriever_that_fails_leaves_the_others(
    pictures: tuple[Archive, dict[str, str]], monkeypatch: pytest.MonkeyPatch
):
    archive, _ = pictures
    encode_pages(archive.database, archive.home, ColourEncoder())
    monkeypatch.setattr("archive_pipeline.retrieval.search.engine.open_encoder", _broken)
    found = archive.search("sourdough")
    assert found.retrievers == ("dense", "lexical")
    assert found.degraded == {"visual": "the visual model colours cannot be loaded"}
    with pytest.raises(VisualModelError, match="colours"):
        archive.search("sourdough", "visual")


def _broken(settings: Settings) -> Sequence[object]:
    raise VisualModelError(f"the visual model {settings.visual_model} cannot be loaded")


def test_a_model_of_the_family_finds_pages(own: Archive, tmp_path: Path):
    pytest.importorskip("colpali_engine.models", reason="the extra visual is not installed", exc_type=ImportError)
    save_tiny_model(tmp_path / "model")
    seeing = replace(own, home=own.home.with_values(visual_model=str(tmp_path / "model")))
    pdf = own.add(files.pdf(tmp_path / "a.pdf"))
    own.index()
    encode_pages(seeing.database, seeing.home, open_encoder(seeing.home))
    found = seeing.search("solar panel", "visual")
    assert not found.degraded
    # Its weights are random: all pages with an image are found, in some order.
    assert sorted(places(found)) == [(pdf, 1), (pdf, 2), (pdf, 3)]
