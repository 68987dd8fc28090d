"""The pages: each reads what it shows in one bounded request, and fills a template with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

import psycopg
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from archive_pipeline.answering import has_model
from archive_pipeline.browse.branchings import read_branchings
from archive_pipeline.browse.forms import SearchForm, number_of, place_of, place_text
from archive_pipeline.browse.indented_json import indented
from archive_pipeline.browse.markdown import to_html
from archive_pipeline.browse.marking import marked
from archive_pipeline.browse.reading import Comparison, Thread, read_comparison, read_place, read_thread
from archive_pipeline.errors import (
    AnswerError,
    ArchiveError,
    InvalidQueryError,
    UnknownDialogueError,
    UnknownDocumentError,
)
from archive_pipeline.ingest.media_types import INLINE_IMAGES
from archive_pipeline.retrieval.reading.attached_files import AttachedContent, attached_files
from archive_pipeline.retrieval.reading.documents import list_documents, read_document
from archive_pipeline.retrieval.reading.placed_files import place_files
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.retrieval.search.results import result_date, result_name
from archive_pipeline.retrieval.search.snippets import word_pattern
from archive_pipeline.store.dialogue_list import page_of_dialogues, sources_of_dialogues, workspaces_of_dialogues
from archive_pipeline.store.failures import is_unavailable
from archive_pipeline.store.reading import ReadRequest, read_in_thread
from archive_pipeline.text.dialogue_names import dialogue_name
from archive_pipeline.text.shown_names import as_name
from archive_pipeline.web.browse_links import dialogue_path, document_path

ROWS_ON_PAGE: Final = 50
RESULTS: Final = 30
WORKSPACES: Final = 500
PAGES_ON_PAGE: Final = 20
_UNIT: Final = 1_000
_ROLES: Final = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "System"}
# The first that an error is an instance of counts.
_STATUSES: Final = (
    (UnknownDialogueError, HTTPStatus.NOT_FOUND),
    (UnknownDocumentError, HTTPStatus.NOT_FOUND),
    (InvalidQueryError, HTTPStatus.BAD_REQUEST),
    (AnswerError, HTTPStatus.BAD_GATEWAY),
    (ArchiveError, HTTPStatus.SERVICE_UNAVAILABLE),
)

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


async def dialogues(request: Request) -> Response:
    """List dialogues, or search where the form has words."""
    form = SearchForm.of(request.query_params)
    if form.q:
        results = await _engine(request).search(form.q, RESULTS, filters=form.filters())
        words = word_pattern(parse_query(form.q).wanted)
        return await render_page("search.html", request, form=form, results=results, words=words)
    after, wanted = place_of(request.query_params), form.list_filters()
    listed, sources, workspaces = await read_in_request(
        request,
        lambda connection: (
            page_of_dialogues(connection, wanted, limit=ROWS_ON_PAGE, after=after),
            sources_of_dialogues(connection),
            workspaces_of_dialogues(connection, WORKSPACES),
        ),
    )
    last = listed.dialogues[-1] if listed.has_more else None
    following = None if last is None else form.address(after=place_text(last.shown_at, last.dialogue_id))
    return await render_page(
        "dialogues.html",
        request,
        form=form,
        dialogues=listed.dialogues,
        following=following,
        sources=sources,
        workspaces=workspaces,
    )


async def dialogue(request: Request) -> Response:
    """Show a path of a dialogue: ``at`` and ``through`` name messages of it, ``start`` where the window begins."""
    query, name = request.query_params, request.path_params["name"]
    at, through, start = query.get("at"), query.get("through"), number_of(query, "start")

    def read(connection: psycopg.Connection[Any]) -> tuple[Thread, dict[str, list[AttachedContent]]]:
        thread = read_thread(connection, name, message_id=at, through=through, start=start)
        return thread, attached_files(connection, [shown.message.id for shown in thread.messages])

    thread, files = await read_in_request(request, read)
    return await render_page("dialogue.html", request, thread=thread, files=files)


async def versions(request: Request) -> Response:
    """Show a message and its siblings side by side; ``start`` says where the window begins."""
    name, message_id = request.path_params["name"], request.path_params["message_id"]
    start = number_of(request.query_params, "start")

    def read(connection: psycopg.Connection[Any]) -> tuple[Comparison, dict[str, list[AttachedContent]]]:
        compared = read_comparison(connection, name, message_id, start=start)
        return compared, attached_files(connection, [message.id for message in compared.messages])

    compared, files = await read_in_request(request, read)
    return await render_page("versions.html", request, compared=compared, files=files)


async def branches(request: Request) -> Response:
    """List where a dialogue branches, from ``start`` on."""
    name, start = request.path_params["name"], number_of(request.query_params, "start") or 0
    found = await read_in_request(request, lambda connection: read_branchings(connection, name, start=start))
    return await render_page("branches.html", request, branchings=found)


async def documents(request: Request) -> Response:
    """List documents."""
    after = place_of(request.query_params)
    listed = await read_in_request(
        request, lambda connection: list_documents(connection, limit=ROWS_ON_PAGE, after=after)
    )
    last = listed.documents[-1] if listed.has_more else None
    following = (
        None if last is None else "/documents?" + urlencode({"after": place_text(last.added_at, last.document_id)})
    )
    return await render_page("documents.html", request, documents=listed.documents, following=following)


async def document(request: Request) -> Response:
    """Show some pages of a document, from ``page`` on."""
    first = max(1, number_of(request.query_params, "page") or 1)
    document_id = request.path_params["document_id"]
    shown = await read_in_request(
        request, lambda connection: read_document(connection, document_id, first_page=first, limit=PAGES_ON_PAGE)
    )
    earlier = max(1, first - PAGES_ON_PAGE) if first > 1 else None
    return await render_page("document.html", request, document=shown, first=first, earlier=earlier)


async def page_image(request: Request) -> Response:
    """Send the image of a page of a document."""
    document_id, page = request.path_params["document_id"], request.path_params["page"]
    shown = await read_in_request(
        request, lambda connection: read_document(connection, document_id, first_page=page, limit=1)
    )
    home: Path = request.app.state.home
    images = [home / each.image_path for each in shown.pages if each.image_path]
    if not images or not images[0].is_relative_to(home) or not images[0].is_file():
        raise UnknownDocumentError(f"page {page:,} of this document has no image")
    return FileResponse(images[0])


async def cited(request: Request) -> Response:
    """Lead to a page as search results and citations name it: id of a dialogue or document, number of the page."""
    doc_id, page = request.path_params["doc_id"], request.path_params["page"]

    def read(connection: psycopg.Connection[Any]) -> str:
        try:
            found = read_document(connection, doc_id, first_page=page, limit=1)
        except UnknownDocumentError:
            place = read_place(connection, doc_id, page)
            return message_address(place.partition_key, place.message_id, through=place.last_message_id)
        return f"{document_path(found.heading.document_id)}?page={page}#page-{page}"

    return RedirectResponse(await read_in_request(request, read), HTTPStatus.SEE_OTHER)


async def failed(request: Request, error: Exception) -> Response:
    """Show an error as a page: what cannot be shown, and why."""
    status, reason = told(error)
    # What was typed stays in the form, to be corrected.
    form = SearchForm.of(request.query_params) if request.url.path == "/" else SearchForm()
    page = await render_page("error.html", request, form=form, title=HTTPStatus(status).phrase, reason=reason)
    page.status_code = status
    return page


def told(error: Exception) -> tuple[int, str]:
    """Return the status of a request that failed, and the reason that its answer gives."""
    if isinstance(error, HTTPException):
        return error.status_code, error.detail
    if isinstance(error, ArchiveError):
        return next(status for kind, status in _STATUSES if isinstance(error, kind)), str(error)
    if is_unavailable(error):
        return HTTPStatus.SERVICE_UNAVAILABLE, "the database does not answer; try again in a moment"
    _log.error("a page failed", exc_info=error)
    return HTTPStatus.INTERNAL_SERVER_ERROR, f"internal error ({type(error).__name__}); the command's output has more"


def message_address(key: str, message_id: str, *, through: str | None = None) -> str:
    """Return the address of a message within its dialogue, on a path through a later message if one is named."""
    further = f"&through={through}" if through not in {None, message_id} else ""
    return f"{dialogue_path(key)}?at={message_id}{further}#m-{message_id}"


async def read_in_request(request: Request, read: Callable[[psycopg.Connection[Any]], Result]) -> Result:
    """Return what a function reads, in a transaction that ends with its request."""
    reading = ReadRequest(_engine(request).database)

    def run() -> Result:
        with reading.session() as connection:
            return read(connection)

    return await read_in_thread(reading, run)


async def render_page(template: str, request: Request, **values: Any) -> HTMLResponse:
    """Return a template filled with values, in a thread: other requests are answered while long texts become HTML."""
    values.setdefault("form", SearchForm())
    values["can_ask"] = has_model(_engine(request).settings)
    html = await asyncio.to_thread(templates().get_template(template).render, path=request.url.path, **values)
    return HTMLResponse(html, headers={"cache-control": "no-store"})


def _engine(request: Request) -> SearchEngine:
    engine: SearchEngine = request.app.state.engine
    return engine


@cache
def templates() -> Environment:
    """Return the templates, which escape whatever is put into them."""
    environment = Environment(
        loader=PackageLoader("archive_pipeline.browse"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        markdown=to_html,
        indented=indented,
        marked=marked,
        moment=_moment,
        role=_role,
        size=_size,
        key=_in_path,
        is_web=_is_web,
        name=as_name,
    )
    environment.globals.update(
        message_address=message_address,
        inline_images=INLINE_IMAGES,
        place_files=place_files,
        dialogue_name=dialogue_name,
        result_date=result_date,
        result_name=result_name,
    )
    return environment


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _role(role: str) -> str:
    return _ROLES[role]


def _is_web(uri: str | None) -> bool:
    """Tell whether a link leads to a web page: what sources cite may be anything."""
    return uri is not None and uri.lower().startswith(("http://", "https://"))


def _in_path(key: str) -> str:
    return quote(key, safe="")


def _size(size_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size_bytes < _UNIT:
            return f"{size_bytes:.0f} {unit}"
        size_bytes /= _UNIT
    return f"{size_bytes:.1f} GB"
