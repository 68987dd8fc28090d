"""The storage of one scheme, through fsspec: listings with versions, and ranges of objects.

Credentials, regions and endpoints are the libraries' business: they come from the environment, a profile or the machine
(``AWS_PROFILE``, ``AWS_ENDPOINT_URL``, ``GOOGLE_APPLICATION_CREDENTIALS``; ``FSSPEC_S3_…`` for what is left).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tenacity import Retrying, retry_if_not_exception_type, stop_after_attempt, wait_exponential

from archive_pipeline.domain.addresses import scheme_of
from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import UnreadableInputError


@dataclass(frozen=True, slots=True)
class _Library:
    """A library of fsspec: its class, and how long it waits for a connection and for the next bytes."""

    module: str
    name: str
    options: Mapping[str, Any]


# How many requests one storage may be asked at a time. The library for S3 keeps ten connections otherwise; the other
# one keeps more.
CONNECTIONS: Final = 40
_S3: Final = {"connect_timeout": 10, "read_timeout": 60, "max_pool_connections": CONNECTIONS}
_LIBRARIES: Final = {
    "s3": _Library("s3fs", "S3FileSystem", {"config_kwargs": _S3}),
    # Its other class asks each bucket for its type first, which needs further permissions.
    "gcs": _Library("gcsfs.core", "GCSFileSystem", {"timeout": 60}),
}
# Beyond the attempts of the libraries, which do not repeat every refusal of a busy storage.
_retrying: Final = Retrying(
    retry=retry_if_not_exception_type((FileNotFoundError, PermissionError)),
    stop=stop_after_attempt(4),
    wait=wait_exponential(multiplier=0.5, max=8),
    reraise=True,
)
# What tells versions of an object apart, by storage.
_VERSIONS: Final = ("generation", "ETag", "etag")

ResultT = TypeVar("ResultT")


class ObjectUnavailableError(UnreadableInputError):
    """One object may not be read or is not there (any more); others can be."""


@dataclass(frozen=True, slots=True)
class RemoteObject:
    """An object as a listing has it.

    Attributes:
        address: where it is, for people.
        size: its bytes.
        version: differs for different contents.
    """

    address: str
    size: int
    version: str


class Storage:
    """The storage that an address belongs to."""

    def __init__(self, address: str) -> None:
        library = _LIBRARIES[scheme_of(address)]
        module = import_optional(library.module, extra="object-storage", purpose=f"reading {address}")
        self._prefix = address.partition("://")[0]
        self._filesystem = getattr(module, library.name)(
            use_listings_cache=False, skip_instance_cache=True, **library.options
        )

    def find(self, address: str) -> tuple[list[RemoteObject], bool]:
        """Return the object at an address, or all below it, and whether they are below it.

        Raises:
            UnreadableInputError: there is nothing, or the storage does not say all that is there.
        """
        if not address.endswith("/") and "/" in _path(address):
            with suppress(_NoObjectError):
                return [self.object(address)], False
        objects = self.objects_below(address)
        if not objects:
            raise UnreadableInputError(f"{address} does not exist: check the address")
        return objects, True

    def objects_below(self, address: str) -> list[RemoteObject]:
        """Return all objects below an address, by their names; there may be none.

        Raises:
            UnreadableInputError: there is no such bucket, or the storage does not say all that is there.
        """
        found = _translated(address, lambda: self._filesystem.find(_path(address).rstrip("/") + "/", detail=True))
        if not found:
            self._require_bucket(address)
        return [
            _remote_object(f"{self._prefix}://{name}", info)
            for name, info in sorted(found.items())
            if info.get("type") == "file"
        ]

    def _require_bucket(self, address: str) -> None:
        """Raise ``UnreadableInputError`` if there is no bucket: listings do not tell that from one that is empty."""
        bucket = _path(address).partition("/")[0]
        try:
            _translated(f"{self._prefix}://{bucket}", lambda: self._filesystem.info(bucket))
        except _NoObjectError:
            raise
        except ObjectUnavailableError:
            return  # it is there, and may be listed but not looked at

    def object(self, address: str) -> RemoteObject:
        """Return an object as it is now.

        Raises:
            ObjectUnavailableError: there is none, or it may not be read.
        """
        info = _translated(address, lambda: self._filesystem.info(_path(address)))
        if info.get("type") != "file":
            raise _NoObjectError(f"{address} does not exist: check the address")
        return _remote_object(address, info)

    def read(self, address: str, start: int, end: int) -> bytes:
        """Return the bytes of an object from ``start`` up to ``end``, fewer only where the object ends.

        Raises:
            ObjectUnavailableError: it is not there, or may not be read.
            UnreadableInputError: the storage does not answer.
        """
        content: bytes = _translated(address, lambda: self._filesystem.cat_file(_path(address), start=start, end=end))
        return content


class _NoObjectError(ObjectUnavailableError):
    """There is no object of that name."""


def _path(address: str) -> str:
    return address.partition("://")[2]


def _remote_object(address: str, info: Mapping[str, Any]) -> RemoteObject:
    version = next((str(info[name]) for name in _VERSIONS if info.get(name)), None)
    if version is None:
        raise UnreadableInputError(f"{address}: the storage does not say which version it has; download the file")
    return RemoteObject(address, int(info["size"]), version.strip('"'))


def _translated(address: str, ask: Callable[[], ResultT]) -> ResultT:
    """Return what the storage answers; each library has errors of its own for what goes wrong."""
    try:
        return _retrying(ask)
    except FileNotFoundError as error:
        raise _NoObjectError(f"{address} does not exist: check the address") from error
    except PermissionError as error:
        raise ObjectUnavailableError(f"{address} may not be read: check the permissions of the credentials") from error
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise UnreadableInputError(f"{address} cannot be read ({said}); nothing was imported, try again") from error
