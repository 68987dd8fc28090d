"""Google AI Studio's prompts, one file each: an array of chunks, of which several are one message.

A file has no id, and its name on Drive is the prompt's title. A prompt is what stands between two answers; an answer
ends with the chunk that says why (``finishReason``), or where the next prompt begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from more_itertools import partition

from archive_pipeline.domain.records import (
    AttachmentRecord,
    DialogueRecord,
    MessageRecord,
    PartRecord,
    PartType,
    RejectedRecord,
    Role,
)
from archive_pipeline.readers.declaration import Evidence, Reader
from archive_pipeline.readers.gemini_parts import call_parts, code_parts, content_parts, media_parts, tool_response
from archive_pipeline.readers.json.fields import Fields, is_empty
from archive_pipeline.readers.json.shapes import DUPLICATE_MESSAGE, as_identifier, as_list, as_object, as_size, as_text
from archive_pipeline.readers.roles import read_role
from archive_pipeline.readers.timestamps import read_timestamp

SOURCE: Final = "ai_studio"
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "model": "assistant"}
_FILES: Final = ("driveDocument", "driveImage", "driveAudio", "driveVideo", "driveFile")
_CALLED: Final = frozenset({"functionCall", "functionResponse"})
_VIDEO: Final = "https://www.youtube.com/watch?v="
_CHUNKS: Final = "chunks"
_PROMPT: Final = "chunkedPrompt"
_MODEL: Final = "models/"
_INSTRUCTION: Final = "systemInstruction"


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its chunks."""
    prompt = value.get(_PROMPT)
    if not isinstance(prompt, dict):
        return Evidence(0.0, "no chunkedPrompt")
    chunks = as_list(prompt.get(_CHUNKS))
    if any(isinstance(chunk, dict) and as_text(chunk.get("role")) in _ROLES for chunk in chunks):
        return Evidence(1.0, "chunks with the role of user or model")
    if not chunks and "runSettings" in value:
        return Evidence(0.6, "a prompt without chunks, and runSettings")
    return Evidence(0.1, "a chunkedPrompt, but no chunks with a role")


def read_prompt(value: Mapping[str, Any], locator: str) -> DialogueRecord | RejectedRecord:
    """Returns the dialogue of a prompt, or why it is none."""
    prompt = value.get(_PROMPT)
    if not isinstance(prompt, dict):
        return RejectedRecord(locator, "the prompt has no 'chunkedPrompt', so no messages", "missing chunkedPrompt")
    warnings: Counter[str] = Counter()
    model = as_text(as_object(value.get("runSettings")).get("model"))
    groups = list(_groups(prompt))
    messages = [_message(group, model, warnings) for group in groups]
    places: dict[str, int] = {}
    for place, group in enumerate(groups):
        for name in filter(None, map(_id, group)):
            places.setdefault(name, place)
    _link(messages, groups, places, warnings)
    own = Fields({name: item for name, item in value.items() if name != _PROMPT})
    messages = [*_instruction(own, messages, warnings), *messages]
    left = Fields(prompt)
    if isinstance(prompt.get(_CHUNKS), list):
        unread = [item for item in left.take_items(_CHUNKS) if not isinstance(item, dict) and not is_empty(item)]
        warnings["malformed_message"] += len(unread)
        left.put_back(_CHUNKS, unread)
    return DialogueRecord(
        source=SOURCE,
        source_id=as_identifier(value.get("id")),
        locator=locator,
        title=as_text(value.get("displayName")) or as_text(value.get("title")) or _file_name(locator),
        created_at=read_timestamp(value.get("createTime"), warnings),
        updated_at=read_timestamp(value.get("updateTime"), warnings),
        messages=tuple(messages),
        is_linear_source=not places,
        warnings=+warnings,
        source_json={**own.fields_left(), _PROMPT: rest} if (rest := left.rest()) else own.fields_left(),
    )


def _instruction(own: Fields, messages: list[MessageRecord], warnings: Counter[str]) -> Iterator[MessageRecord]:
    """Takes what the model was told before all chunks; the first message follows it."""
    given = own.take(_INSTRUCTION)
    fields = Fields(given)
    parts = list(content_parts(fields.take_text("text") if isinstance(given, dict) else given, "text", warnings))
    parts += content_parts(fields.take_items("parts"), "parts", warnings)
    if rest := fields.rest():
        own.fields_left()[_INSTRUCTION] = rest
    if not parts:
        return
    has_ids = bool(messages) and messages[0].source_id is not None
    if has_ids:
        messages[0].parent_source_id = _INSTRUCTION
    yield MessageRecord(_INSTRUCTION if has_ids else None, None, "system", tuple(parts))


def _link(
    messages: list[MessageRecord],
    groups: list[list[dict[str, Any]]],
    places: Mapping[str, int],
    warnings: Counter[str],
) -> None:
    """Sets ids and parents of the messages of a file whose chunks have ids."""
    if not places:
        return
    for place, message in enumerate(messages):
        own = message.source_id
        if own is not None and places[own] != place:
            warnings[DUPLICATE_MESSAGE] += 1
            message.source = {**(message.source or {}), "id": own}
            own = None
        message.source_id = own or f"chunk-{place}"
    for place, (message, group) in enumerate(zip(messages, groups, strict=True)):
        parent = _parent(group, place, places)
        message.parent_source_id = None if parent is None else messages[parent].source_id


def _file_name(locator: str) -> str | None:
    """Returns the name of the file that the prompt is, without the suffix that downloading gives it."""
    name = PurePosixPath(locator).name
    return None if name.endswith("]") else name.removesuffix(".json") or None


def _groups(prompt: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yields the chunks of each message."""
    group: list[dict[str, Any]] = []
    for chunk in as_list(prompt.get(_CHUNKS)):
        if not isinstance(chunk, dict):
            continue
        if group and (chunk.get("role") != group[-1].get("role") or _ends(group[-1]) or _branch(chunk) is not None):
            yield group
            group = []
        group.append(chunk)
    if group:
        yield group


def _ends(chunk: Mapping[str, Any]) -> bool:
    return not is_empty(chunk.get("finishReason"))


def _id(chunk: Mapping[str, Any]) -> str | None:
    return as_identifier(chunk.get("id"))


def _branch(chunk: Mapping[str, Any]) -> str | None:
    """Returns the id of the chunk that this one is an alternative after; branches in other files have no id here."""
    return as_identifier(as_object(chunk.get("branchParent")).get("id"))


def _parent(group: list[dict[str, Any]], place: int, places: Mapping[str, int]) -> int | None:
    branch = _branch(group[0])
    if branch is not None and places.get(branch, place) < place:
        return places[branch]
    return place - 1 if place else None


def _message(group: list[dict[str, Any]], model: str | None, warnings: Counter[str]) -> MessageRecord:
    role = read_role(group[0].get("role"), _ROLES, warnings)
    parts: list[PartRecord] = []
    files: list[AttachmentRecord] = []
    rests: list[Any] = []
    for chunk in group:
        fields = Fields(chunk)
        if chunk is group[0]:
            fields.take_identifier("id")
        if chunk.get("role") == role:
            fields.take("role")
        parts += _parts(fields, warnings)
        files += _files(fields)
        if rest := fields.rest():
            rests.append(rest)
    return MessageRecord(
        source_id=_id(group[0]),
        parent_source_id=None,
        role=role,
        parts=tuple(parts),
        attachments=tuple(files),
        created_at=next((moment for chunk in group if (moment := _time(chunk, warnings)) is not None), None),
        model=model.removeprefix(_MODEL) if model and role == "assistant" else None,
        state="error" if any(not is_empty(chunk.get("errorMessage")) for chunk in group) else "complete",
        source={_CHUNKS: rests} if rests else None,
    )


def _time(chunk: Mapping[str, Any], warnings: Counter[str]) -> Any:
    return read_timestamp(chunk.get("createTime"), warnings)


def _parts(fields: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes what a chunk says; ``parts`` say what ``text`` does once more, where a chunk has both."""
    is_thought = fields.fields_left().get("isThought") is True
    kind = PartType.THINKING if is_thought else PartType.TEXT
    text = fields.take_text("text")
    if text is not None:
        yield PartRecord(kind, text, "text")
        yield from _beside_text(fields, warnings)
    else:
        for part in content_parts(fields.take_items("parts"), "parts", warnings):
            part.part_type = kind if part.part_type is PartType.TEXT else part.part_type
            yield part
    yield from media_parts(fields)
    video = as_identifier(as_object(fields.fields_left().get("youtubeVideo")).get("id"))
    if video is not None:
        yield PartRecord(
            PartType.VIDEO, source_type="youtubeVideo", uri=f"{_VIDEO}{video}", source=fields.take("youtubeVideo")
        )
    yield from code_parts(fields)
    yield from _called(fields)
    error = fields.take_text("errorMessage")
    if error is not None:
        yield PartRecord(PartType.ERROR, error, "errorMessage")
    yield from _cited(fields.fields_left().get("grounding"))


def _beside_text(fields: Fields, warnings: Counter[str]) -> Iterator[PartRecord]:
    """Takes of the parts what ``text`` does not say: calls, and what came of them."""
    others, called = partition(_has_call, as_list(fields.fields_left().get("parts")))
    if parts := [*called]:
        fields.take("parts")
        fields.put_back("parts", [*others])
        yield from content_parts(parts, "parts", warnings)


def _has_call(part: object) -> bool:
    return not _CALLED.isdisjoint(as_object(part))


def _called(fields: Fields) -> Iterator[PartRecord]:
    """Takes a call, in which the result that the user entered may stand."""
    for part in call_parts(fields):
        yield part
        if part.part_type is not PartType.TOOL_USE:
            continue
        call = Fields(part.source)
        part.tool_input = call.take("parameters") if part.tool_input is None else part.tool_input
        response = call.take("response")
        part.source = call.rest()
        if not is_empty(response):
            yield tool_response(Fields({"name": part.tool_name, "id": part.tool_use_id, "response": response}))


def _cited(grounding: object) -> Iterator[PartRecord]:
    """Yields a part for each page that an answer rests on; what is said of them stays in the message."""
    about = as_object(grounding)
    for item in as_list(about.get("groundingSources")) + as_list(about.get("groundingChunks")):
        page = as_object(item)
        page = as_object(page.get("web")) or page
        address, title = as_text(page.get("uri")), as_text(page.get("title"))
        if address or title:
            yield PartRecord(PartType.CITATION, title, "grounding", uri=address)


def _files(fields: Fields) -> Iterator[AttachmentRecord]:
    for name in _FILES:
        file = fields.fields_left().get(name)
        if not isinstance(file, dict) or not file:
            continue
        fields.take(name)
        size = file.get("sizeBytes")
        yield AttachmentRecord(
            source_id=as_identifier(file.get("id")),
            file_name=as_text(file.get("name")),
            mime_type=as_text(file.get("mimeType")),
            size_bytes=as_size(int(size) if isinstance(size, str) and size.isascii() and size.isdigit() else size),
            source={name: file},
        )


READER: Final = Reader(SOURCE, "Google AI Studio prompts (files of its folder on Drive)", 3, recognise, read_prompt)
