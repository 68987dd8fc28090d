"""A server that speaks OpenAI's ``/embeddings``, for tests: answers are prepared, requests are kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Bodies that do not end: a byte now and then, after the headers or, of a header that does not end, among them.
DRIPS, DRIPS_HEADERS = object(), object()


@dataclass
class Stub:
    """What the server answers: the prepared answers in turn (status, headers, body), then vectors."""

    url: str = ""
    answers: list[tuple[int, dict[str, str], Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)


def vectors(texts: list[str]) -> dict[str, Any]:
    """Return vectors that tell length and first letter of a text, last text first."""
    rows = [{"index": at, "embedding": [len(text), ord(text[0]), 1.0]} for at, text in enumerate(texts)]
    return {"data": rows[::-1]}


@contextmanager
def serve() -> Iterator[Stub]:
    """Run the server on a free port of the loopback interface."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.requests.append({"path": self.path, **body})
            stub.keys.append(self.headers.get("Authorization"))
            status, headers, answer = stub.answers.pop(0) if stub.answers else (200, {}, vectors(body["input"]))
            self.send_response(status)
            if answer is DRIPS or answer is DRIPS_HEADERS:
                self.drip(b"X: " if answer is DRIPS_HEADERS else b"\r\n")
                return
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def drip(self, first: bytes) -> None:
            self.flush_headers()
            self.close_connection = True
            with suppress(OSError):  # the client has seen enough
                self.wfile.write(first)
                while not stub.is_over.wait(0.02):
                    self.wfile.write(b" ")

        def log_message(self, *_arguments: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_port}/v1"
    # It looks that often whether it is to end.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
