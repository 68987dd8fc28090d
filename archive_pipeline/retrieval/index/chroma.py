"""Opening Chroma: a folder or a server, without telemetry, with errors that say what to do."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

import fasteners

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import VectorStoreError
from archive_pipeline.settings import Settings
from archive_pipeline.store.home import prepare_home, private_folder
from archive_pipeline.store.vector_indexes import VectorIndex

EXTRA: Final = "search"
REBUILD: Final = "make it anew with `llm-archive index --rebuild`"
START: Final = "start it, or correct ARCHIVE_CHROMA_URL"
_LOCK: Final = "chroma.lock"
_INDEX_ID: Final = "index_id"
_ARCHIVE_ID: Final = "archive_id"


@dataclass(frozen=True)
class Chroma:
    """An open vector store.

    Attributes:
        location: folder or URL, as ``derived.vector_indexes`` has it.
        client: chromadb's.
    """

    location: str
    client: Any

    def find(self, index: VectorIndex, kind: str) -> Any | None:
        """Return the collection of an index, None if it is not there or another index's."""
        name = index.collection(kind)
        if name not in {collection.name for collection in self.client.list_collections()}:
            return None
        collection = self.client.get_collection(name, embedding_function=None)
        return collection if (collection.metadata or {}).get(_INDEX_ID) == index.id else None

    def create(self, index: VectorIndex, kind: str) -> Any:
        """Create the collection of an index; vectors are compared by the cosine of their angle."""
        return self.client.create_collection(
            index.collection(kind),
            metadata={_INDEX_ID: index.id, "model": index.generation.model},
            configuration={"hnsw": {"space": "cosine"}},
            embedding_function=None,
        )

    @staticmethod
    def claim(collection: Any, archive_id: str) -> None:
        """Have a collection say which archive it is of, if it does not yet."""
        metadata = collection.metadata or {}
        if metadata.get(_ARCHIVE_ID) != archive_id:
            collection.modify(metadata={**metadata, _ARCHIVE_ID: archive_id})

    def drop(self, name: str) -> None:
        """Delete a collection if it is there."""
        if name in {collection.name for collection in self.client.list_collections()}:
            self.client.delete_collection(name)

    @property
    def batch_size(self) -> int:
        """Most entries in one call."""
        return int(self.client.get_max_batch_size())


def location_of(settings: Settings) -> str:
    """Return the URL of the server, without credentials, or the folder of the embedded store."""
    if settings.chroma_url is None:
        return str(settings.chroma_folder.resolve())
    url = urlsplit(settings.chroma_url.get_secret_value())
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl()


def open_chroma(settings: Settings) -> Chroma:
    """Open the vector store.

    Raises:
        MissingExtraError: chromadb is not installed.
        VectorStoreError: it cannot be opened or reached.
    """
    chromadb = import_optional("chromadb", extra=EXTRA, purpose="search")
    options = chromadb.Settings(anonymized_telemetry=False)
    location = location_of(settings)
    if settings.chroma_url is not None:
        url = urlsplit(settings.chroma_url.get_secret_value())
        is_tls = url.scheme == "https"
        with translate_errors(location, advice=START):
            client = chromadb.HttpClient(
                host=url.hostname,
                port=url.port or (443 if is_tls else 8000),
                ssl=is_tls,
                headers=_credentials(url),
                settings=options,
            )
            return Chroma(location, client)
    with translate_errors(location):
        private_folder(settings.chroma_folder)
        try:
            return Chroma(location, chromadb.PersistentClient(location, settings=options))
        except Exception:
            _purge_open_stores()  # Chroma keeps what it could not open, and fails at it differently the next time
            raise


def _credentials(url: SplitResult) -> dict[str, str]:
    if url.username is None:
        return {}
    pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def reopen_chroma(settings: Settings) -> Chroma:
    """Open the vector store with nothing kept of what this process read of it: others have written to it since."""
    _purge_open_stores()
    return open_chroma(settings)


def _purge_open_stores() -> None:
    shared = import_optional("chromadb.api.shared_system_client", extra=EXTRA, purpose="search")
    shared.SharedSystemClient.clear_system_cache()


def open_or_reset(settings: Settings) -> Chroma:
    """Open the vector store to make it anew: an embedded one that cannot be read is deleted first."""
    try:
        chroma = open_chroma(settings)
        with translate_errors(chroma.location):
            chroma.client.list_collections()
    except VectorStoreError:
        if settings.chroma_url is not None:
            raise
        shutil.rmtree(settings.chroma_folder)
        return reopen_chroma(settings)
    return chroma


def delete_embedded(settings: Settings) -> None:
    """Delete the embedded store, which the caller keeps others from writing to."""
    shutil.rmtree(settings.chroma_folder)
    if "chromadb" in sys.modules:
        _purge_open_stores()


@contextmanager
def only_writer(settings: Settings) -> Iterator[None]:
    """Hold the lock of the embedded store, which takes one writer; a server looks after itself.

    Raises:
        VectorStoreError: another process holds it.
    """
    if settings.chroma_url is not None:
        yield
        return
    prepare_home(settings.home)
    lock = fasteners.InterProcessLock(str(settings.home / _LOCK))
    if not lock.acquire(blocking=False):
        raise VectorStoreError(
            f"another process is writing to the vector store in {settings.chroma_folder}; try again when it is done"
        )
    try:
        yield
    finally:
        lock.release()


@contextmanager
def translate_errors(location: str, *, advice: str = REBUILD) -> Iterator[None]:
    """Raise ``VectorStoreError`` for what Chroma and its file raise."""
    errors = import_optional("chromadb.errors", extra=EXTRA, purpose="search")
    http = import_optional("httpx", extra=EXTRA, purpose="search")  # what chromadb talks to a server with
    try:
        yield
    except http.TransportError as error:
        raise _unusable(location, error, START) from error
    except (errors.ChromaError, http.HTTPError, sqlite3.Error, ValueError, OSError, KeyError) as error:
        raise _unusable(location, error, advice) from error


def _unusable(location: str, error: Exception, advice: str) -> VectorStoreError:
    reason = first_line(error)
    return VectorStoreError(f"the vector store {location} cannot be used ({reason}); {advice}")
