"""A real S3 server on the loopback interface, with the faults of a network: moto's, behind a layer that can fail."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from archive_pipeline.remote.storage import _retrying

BUCKET: Final = "exports"
ENVIRONMENT: Final = {
    "AWS_ACCESS_KEY_ID": "an-id",
    "AWS_SECRET_ACCESS_KEY": "a-secret-key",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "2",
}

Fault = Callable[[str, str], str | None]


class Server:
    """The server.

    Attributes:
        url: where it listens.
        fault: told of method and path of each request; says ``"refuse"``, ``"forbid"``, ``"cut"``, or None.
        on_request: called before each answer, with method, path and range.
        latency: seconds before each answer.
        requests: how often each method and path was asked for.
    """

    def __init__(self) -> None:
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import make_server

        self._app = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.reset()
        self._thread.start()

    def reset(self) -> None:
        """Have no faults any more, and count anew."""
        self.fault: Fault = lambda _method, _path: None
        self.on_request: Callable[[str, str, str], None] = lambda _method, _path, _range: None
        self.latency = 0.0
        self.requests: Counter[tuple[str, str]] = Counter()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        self.requests[method, path] += 1
        if self.latency:
            time.sleep(self.latency)
        self.on_request(method, path, environ.get("HTTP_RANGE", ""))
        fault = self.fault(method, path)
        if fault in {"refuse", "forbid"}:
            status = "503 Slow Down" if fault == "refuse" else "403 Forbidden"
            code = "ServiceUnavailable" if fault == "refuse" else "AccessDenied"
            body = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode() if method != "HEAD" else b""
            start_response(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
            return [body]
        answer = b"".join(self._app(environ, start_response))
        return _cut(answer) if fault == "cut" else [answer]


def _cut(answer: bytes) -> Iterator[bytes]:
    yield answer[: len(answer) // 2]
    raise ConnectionAbortedError("the network went away")


class Bucket:
    """A bucket of a server, filled and emptied without requests: whoever reads it makes them."""

    def __init__(self, server: Server, environment: Mapping[str, str]) -> None:
        from moto.core import DEFAULT_ACCOUNT_ID
        from moto.s3.models import s3_backends

        self.server = server
        self.environment = environment
        self._backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
        self._backend.create_bucket(BUCKET, ENVIRONMENT["AWS_DEFAULT_REGION"])

    def put(self, key: str, content: bytes | Path | Any) -> str:
        """Put an object of bytes, of a file, or of a value as JSON; return its address."""
        if isinstance(content, Path):
            content = content.read_bytes()
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self._backend.put_object(BUCKET, key, body)
        return f"s3://{BUCKET}/{key}"

    def put_folder(self, prefix: str, folder: Path) -> str:
        """Put all files of a folder below a prefix; return its address."""
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            self.put(f"{prefix}/{path.relative_to(folder).as_posix()}", path)
        return f"s3://{BUCKET}/{prefix}"

    def delete(self, key: str) -> None:
        self._backend.delete_object(BUCKET, key)

    def empty(self) -> None:
        """Delete all objects."""
        for key in [*self._backend.get_bucket(BUCKET).keys]:
            self.delete(key)


@contextmanager
def hardly_waiting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Try again after a hundredth of the time: how often, and with which result, is what tests look at."""
    sleep, pause = asyncio.sleep, time.sleep

    async def soon(seconds: float, result: Any = None) -> Any:
        return await sleep(seconds / 100, result)

    with monkeypatch.context() as patched:
        patched.setattr(asyncio, "sleep", soon)  # of the library for S3
        patched.setattr(_retrying, "sleep", lambda seconds: pause(seconds / 100))
        yield


@contextmanager
def bucket_server() -> Iterator[Bucket]:
    """Yield a bucket of a server that listens until the end of the block."""
    server = Server()
    try:
        yield Bucket(server, {**ENVIRONMENT, "AWS_ENDPOINT_URL": server.url})
    finally:
        server.close()
