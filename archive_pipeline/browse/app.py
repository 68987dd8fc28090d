"""The application: its addresses, and what is allowed to the pages it sends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, Final

import psycopg
import sqlalchemy.exc
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from archive_pipeline.answering import has_model
from archive_pipeline.browse import asking, attachments, views
from archive_pipeline.errors import ArchiveError
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.web.disconnects import EndsWithClient

_FOLDER: Final = Path(__file__).parent
# No scripts at all, nothing from elsewhere, and no word of the address to the sites that links lead to.
_POLICY: Final = (
    b"default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = ((b"content-security-policy", _POLICY), (b"referrer-policy", b"no-referrer"))

App = Callable[[MutableMapping[str, Any], Callable[..., Any], Callable[..., Any]], Awaitable[None]]


def build_app(engine: SearchEngine) -> App:
    """Return the application over an engine's archive. It answers everybody: the web guard stands before it."""
    app = Starlette(
        routes=[
            *(asking.ROUTES if has_model(engine.settings) else ()),
            Route("/", views.dialogues),
            Route("/dialogues/{name}", views.dialogue),
            Route("/dialogues/{name}/branches", views.branches),
            Route("/dialogues/{name}/versions/{message_id}", views.versions),
            Route("/documents", views.documents),
            Route("/documents/{document_id}", views.document),
            Route("/documents/{document_id}/pages/{page:int}/image", views.page_image),
            Route("/attachments/{sha256}", attachments.attachment),
            Route("/pages/{doc_id}/{page:int}", views.cited),
            Mount("/static", StaticFiles(directory=_FOLDER / "static")),
        ],
        exception_handlers={
            HTTPException: views.failed,
            ArchiveError: views.failed,
            psycopg.Error: views.failed,
            sqlalchemy.exc.SQLAlchemyError: views.failed,
        },
    )
    app.state.engine = engine
    app.state.turns_to_ask = asyncio.Semaphore(asking.MOST_AT_ONCE)
    app.state.shown_forms = asking.ShownForms()
    app.state.home = engine.settings.home
    return _with_headers(EndsWithClient(app))


def _with_headers(app: App) -> App:
    async def answer(scope: MutableMapping[str, Any], receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        async def send_on(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *_HEADERS]}
            await send(message)

        await app(scope, receive, send_on)

    return answer
