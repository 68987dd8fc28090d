"""Parameters of the tools for assistants, each declared once: type, limits and description."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, PlainValidator

from archive_pipeline.retrieval.search.filters import FILTERS, DeclaredFilter
from archive_pipeline.retrieval.search.modes import MODE_HELP, MODES, TIME_WORDS_HELP, check_mode
from archive_pipeline.store.annotations import Kind

ToolT = TypeVar("ToolT", bound=Callable[..., Any])

Query = Annotated[
    str,
    Field(
        description='What to look for: a question or words; "phrases" that a page must have, prefix* and -exclusions'
    ),
]
Limit = Annotated[int, Field(description="Most results", ge=1, le=100)]
Mode = Annotated[str, AfterValidator(check_mode), Field(description=MODE_HELP, json_schema_extra={"enum": list(MODES)})]
TimeWords = Annotated[bool, Field(description=TIME_WORDS_HELP)]
MaxTokens = Annotated[int, Field(description="Most tokens of all sources together", ge=1, le=200_000)]
MaxSources = Annotated[int, Field(description="Most sources", ge=1, le=100)]

KeyOrId = Annotated[
    str,
    Field(
        description="doc_id or partition_key of a result or source, or pair_id of one: a tool call with its full "
        "result; or part_id: an artifact"
    ),
]
FirstPage = Annotated[int, Field(description="Page to begin with, such as the page of a result", ge=1, le=2**31 - 1)]
MaxPages = Annotated[int, Field(description="Most pages", ge=1, le=1_000)]
FirstCharacter = Annotated[
    int, Field(description="Character of the first page to begin with, where one was cut", ge=1, le=2**31 - 1)
]
MaxCharacters = Annotated[int, Field(description="Most characters of all pages together", ge=1, le=1_000_000)]

KeyOrTitle = Annotated[
    str, Field(description="doc_id or partition_key of a dialogue, the beginning of one, or its title or a part of it")
]
AnnotationKind = Annotated[
    Kind,
    Field(
        description="tag or note: of the dialogue, or of `message`; chosen or rejected: of `message`, an answer; "
        "never_export: of the dialogue"
    ),
]
AnnotationText = Annotated[str | None, Field(description="The tag or note; other kinds have none")]
MessageName = Annotated[
    str | None,
    Field(description="Id of a message, its beginning, or the name of a branch, which means its last message"),
]
Remove = Annotated[bool, Field(description="Take it back")]


def with_filters(tool: ToolT) -> ToolT:
    """Show the filters that a tool takes as ``**filters: Any`` as parameters of its own, None by default.

    The schema that clients see is made of the signature.
    """
    signature = inspect.signature(tool, eval_str=True)
    own = [item for item in signature.parameters.values() if item.kind is not inspect.Parameter.VAR_KEYWORD]
    filters = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(each))
        for each in FILTERS.values()
    ]
    vars(tool)["__signature__"] = signature.replace(parameters=[*own, *filters])
    return tool


def _annotation(each: DeclaredFilter) -> Any:
    """Return the type of a filter as pydantic reads it."""
    declared = each.declared
    parsed = each.type
    if declared.parse is not None:
        parsed = Annotated[each.type, PlainValidator(_from_text(declared.parse), json_schema_input_type=str)]
    return Annotated[parsed | None, Field(description=declared.help)]


def _from_text(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    """Read texts as the command line does. To pydantic, a number in place of a time would be seconds since 1970."""

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            # Not a TypeError, which pydantic would not report as an invalid argument.
            raise ValueError(f"{value!r} is no text")  # noqa: TRY004
        return parse(value)

    return read
