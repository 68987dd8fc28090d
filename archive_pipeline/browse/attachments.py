"""Sending attached files, which are somebody's: nothing in them may run in the name of the archive.

Pictures of types that browsers only draw are shown; everything else is offered as a download of no type, so that no
browser opens it here. Neither may load, run or frame anything, and no browser guesses another type.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import psycopg
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from archive_pipeline.browse.views import read_in_request
from archive_pipeline.errors import UnknownDocumentError
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.ingest.media_types import INLINE_IMAGES, UNKNOWN
from archive_pipeline.retrieval.reading.attached_files import AttachedContent, attached_content

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


async def attachment(request: Request) -> Response:
    """Send a content: a picture as itself, anything else, and with ``?download`` everything, as a file to keep."""
    sha256 = request.path_params["sha256"]
    if not _HASH.fullmatch(sha256):
        raise UnknownDocumentError(f"no attached file has the hash {sha256!r}")

    def read(connection: psycopg.Connection[Any]) -> AttachedContent:
        return attached_content(connection, sha256)

    content = await read_in_request(request, read)
    home: Path = request.app.state.home
    path = AttachmentStore.of(home).path_of(sha256)
    if not path.is_file():
        raise UnknownDocumentError(f"the content of {content.name} is gone; import an export that has it again")
    is_shown = content.media_type in INLINE_IMAGES and "download" not in request.query_params
    disposition = "inline" if is_shown else f"attachment; filename*=UTF-8''{quote(content.name, safe='')}"
    return FileResponse(
        path,
        media_type=content.media_type if is_shown else UNKNOWN,
        headers={**_HEADERS, "content-disposition": disposition},
    )
