"""Asking the archive: seed 002's ``POST /api/research/ask`` for programs, and a page with a form for people.

Both are there only if the settings name a model. Each question sends texts of the archive to it, so that each form that
is shown asks once: an address that is typed, restored, reloaded or linked to, also by a text of the archive, shows the
question and asks nothing.
"""

from __future__ import annotations

import secrets
from http import HTTPStatus
from typing import Final

import psycopg
import sqlalchemy
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from archive_pipeline.answering import Answer, ask
from archive_pipeline.browse.views import render_page, told
from archive_pipeline.errors import ArchiveError
from archive_pipeline.retrieval.context.archive import DEFAULT_BUDGET, Budget
from archive_pipeline.retrieval.search.modes import DEFAULT_MODE
from archive_pipeline.text.user_input import LONGEST_QUERY, MOST_RESULTS

# The longest question takes six bytes a character where JSON escapes all of it.
MOST_BYTES: Final = 262_144
MOST_AT_ONCE: Final = 2
# Forms that are shown and not sent; the oldest give way.
_MOST_FORMS: Final = 1_000
_FAILURES: Final = (ArchiveError, psycopg.Error, sqlalchemy.exc.SQLAlchemyError)


class ShownForms:
    """Forms that asked nothing yet, by a value that nobody can guess."""

    def __init__(self) -> None:
        self._values: dict[str, None] = {}

    def show(self) -> str:
        """Return the value of a form that is shown now."""
        value = secrets.token_urlsafe(16)
        self._values[value] = None
        if len(self._values) > _MOST_FORMS:
            del self._values[next(iter(self._values))]
        return value

    def take(self, value: str) -> bool:
        """Tell whether a form of this value may ask, once."""
        is_shown = value in self._values
        self._values.pop(value, None)
        return is_shown


class ResearchRequest(BaseModel):
    """The body of a request; descriptions say what values have to be."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: str = Field(description="a text")
    max_tokens: int = Field(default=DEFAULT_BUDGET.max_tokens, ge=1, description="a whole number from 1 on")
    max_sources: int = Field(
        default=DEFAULT_BUDGET.max_sources,
        ge=1,
        le=MOST_RESULTS,
        description=f"a whole number from 1 to {MOST_RESULTS:,}",
    )
    mode: str = Field(default=DEFAULT_MODE, description="a text")
    time_words: bool = Field(default=True, description="true or false")


async def research(request: Request) -> Response:
    """Answer a question as JSON: ``answer``, ``sources``, ``truncated``, ``total_tokens`` and more (docs/ask.md)."""
    try:
        asked = ResearchRequest.model_validate_json(await _body(request))
        answer = await _answer(request, asked)
    except ValidationError as error:
        return _refused(HTTPStatus.BAD_REQUEST, _wrong(error))
    except (HTTPException, *_FAILURES) as error:
        return _refused(*told(error))
    return JSONResponse(answer.to_dict(), headers={"cache-control": "no-store"})


async def form(request: Request) -> Response:
    """Show the form, and the answer where it was sent, or why there is none."""
    question = request.query_params.get("question", "").strip()
    forms: ShownForms = request.app.state.shown_forms
    is_sent = forms.take(request.query_params.get("form", ""))
    answer, status, failure = None, int(HTTPStatus.OK), ""
    try:
        answer = await _answer(request, ResearchRequest(query=question)) if question and is_sent else None
    except _FAILURES as error:
        status, failure = told(error)
    page = await render_page(
        "ask.html",
        request,
        question=question,
        longest=LONGEST_QUERY,
        answer=answer,
        failure=failure,
        shown_form=forms.show(),
    )
    page.status_code = status
    return page


ROUTES: Final = (Route("/ask", form), Route("/api/research/ask", research, methods=["POST"]))


async def _answer(request: Request, asked: ResearchRequest) -> Answer:
    async with request.app.state.turns_to_ask:
        budget = Budget(asked.max_tokens, asked.max_sources)
        return await ask(request.app.state.engine, asked.query, budget, mode=asked.mode, time_words=asked.time_words)


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_BYTES:,} bytes")
    return body


def _wrong(error: ValidationError) -> str:
    """Return what is wrong with a body first."""
    first = error.errors(include_url=False, include_context=False)[0]
    if not first["loc"]:
        return "the body is no JSON object"
    name, fields = str(first["loc"][0]), ResearchRequest.model_fields
    if name not in fields:
        return f"a request has no {name!r}; there are {', '.join(fields)}"
    if first["type"] == "missing":
        return f"{name} is missing"
    return f"{name} has to be {fields[name].description}"


def _refused(status: int, reason: str) -> Response:
    return JSONResponse({"error": reason}, status_code=status)
