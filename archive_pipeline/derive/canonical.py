"""The canonical form of messages: what two messages must have in common to count as the same (seed 003).

docs/hashes.md is the contract, with every preimage spelled out; what is here follows it and may not change without a
new version in the tags. Ids, times, models, token counts, thinking, signatures and encrypted blobs are left out. A
field that is empty is left out too, so that null, "" and a missing field are the same.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from archive_pipeline.derive.tool_results import answered_calls
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.request_options import MAX_TOKENS, STOPS, TEMPERATURE
from archive_pipeline.text.canonical_json import canonical_json, json_string
from archive_pipeline.text.normalization import text_forms

_TEXT: Final = b',"text":'
# Arguments that say nothing.
_NO_ARGUMENTS: Final = frozenset({"{}", "null", '""'})
_STRUCTURES: Final = ("{", "[")


@dataclass(frozen=True)
class CanonicalMessages:
    """Canonical JSON of the messages of a batch, by position.

    Attributes:
        exact: the message; None if it is hidden or has no canonical content.
        normalized: the same with its text case-folded and white space collapsed.
        answered_calls: for messages with tool results, the calls on the way to them that they answer, in order.
    """

    exact: list[bytes | None]
    normalized: list[bytes | None]
    answered_calls: Mapping[int, list[bytes]]


def canonical_messages(batch: DialogueBatch) -> CanonicalMessages:
    """Return the canonical form of each message of the batch."""
    calls = {
        part: _call(batch.tools.tool_name[part], batch.tools.tool_input[part], batch.tools.text[part])
        for part, is_result in enumerate(batch.tools.is_result)
        if not is_result
    }
    answers = _answered_calls(batch)
    others = _other_fields(batch, calls, answers)
    texts = [None if is_hidden else text for text, is_hidden in zip(batch.text, batch.is_hidden, strict=True)]
    composed, folded = text_forms([text for text in texts if text])
    enclosing = _enclosing(batch, texts, others)
    answered: defaultdict[int, list[bytes]] = defaultdict(list)
    for result, call in answers.items():
        answered[batch.tools.message[result]].append(calls[call].encode())
    return CanonicalMessages(_enclosed(enclosing, texts, composed), _enclosed(enclosing, texts, folded), answered)


def media_identity(content_sha256: str | None, uri: str | None, name: str | None) -> str:
    """Return what an image, a file or the like counts as: its content, else its URL, else its name (seed 003).

    What is behind a URL may change, so it is marked; a medium without any of these counts as one with an empty name.
    """
    if content_sha256:
        return content_sha256
    if uri:
        return f"url:{hashlib.sha256(uri.encode()).hexdigest()}"
    return hashlib.sha256((name or "").encode()).hexdigest()


def deterministic_options(options: str | None) -> str | None:
    """Return canonical JSON of the options that belong to a prompt's identity, None if there are none (seed 003).

    These are a temperature of exactly 0, the limit of tokens and the stop sequences, under the names of any vendor.

    Args:
        options: the options of a request, JSON text of an object.
    """
    given = orjson.loads(options) if options else None
    if not isinstance(given, dict):
        return None
    kept: dict[str, Any] = {}
    temperature = given.get(TEMPERATURE)
    if isinstance(temperature, int | float) and not isinstance(temperature, bool) and temperature == 0:
        kept["temperature"] = 0
    limit = next((given[name] for name in MAX_TOKENS if given.get(name) is not None), None)
    if limit is not None:
        kept["max_tokens"] = limit
    stops = next((given[name] for name in STOPS if given.get(name)), None)
    if stops:
        kept["stop_sequences"] = stops if isinstance(stops, list) else [stops]
    return canonical_json(orjson.dumps(kept).decode()) if kept else None


def _enclosing(
    batch: DialogueBatch, texts: list[str | None], others: Mapping[int, tuple[str, str]]
) -> list[tuple[bytes, bytes] | None]:
    """Return what stands before and after the text in the JSON of each message; None for what is not canonical."""
    plain = {role: (f'{{"role":"{role}"'.encode(), b"}") for role in set(batch.role)}
    found: list[tuple[bytes, bytes] | None] = [
        plain[role] if text else None for role, text in zip(batch.role, texts, strict=True)
    ]
    for position, (before, after) in others.items():
        if not batch.is_hidden[position]:
            found[position] = (f'{{{before}"role":"{batch.role[position]}"'.encode(), f"{after}}}".encode())
    return found


def _enclosed(
    enclosing: list[tuple[bytes, bytes] | None], texts: list[str | None], forms: list[str]
) -> list[bytes | None]:
    """Return the JSON of each message; ``forms`` are those of the texts that there are."""
    dumps, form = orjson.dumps, iter(forms)
    found: list[bytes | None] = []
    for around, text in zip(enclosing, texts, strict=True):
        if around is None:
            found.append(None)
        elif text:
            found.append(around[0] + _TEXT + dumps(next(form)) + around[1])
        else:
            found.append(around[0] + around[1])
    return found


def _call(name: str | None, tool_input: str | None, text: str | None) -> str:
    return _object(arguments=_arguments(tool_input, text), name=json_string(name) if name else None)


def _arguments(tool_input: str | None, text: str | None) -> str | None:
    """Return arguments as canonical JSON; a string that is JSON of an object or array counts as that."""
    found = canonical_json(tool_input) if tool_input else None
    string = None
    if found is None:
        string = tool_input or text
    elif found.startswith('"'):
        string = orjson.loads(found)
    if string:
        structure = canonical_json(string) if string.lstrip().startswith(_STRUCTURES) else None
        found = structure or json_string(string)
    return None if found in _NO_ARGUMENTS else found


def _object(**fields: str | None) -> str:
    """Return a JSON object of the fields that are not None; they are given in the order of their names."""
    return "{" + ",".join([f'"{name}":{value}' for name, value in fields.items() if value is not None]) + "}"


def _array(items: Sequence[str]) -> str | None:
    return "[" + ",".join(items) + "]" if items else None


def _other_fields(
    batch: DialogueBatch, calls: Mapping[int, str], answers: Mapping[int, int]
) -> dict[int, tuple[str, str]]:
    """Return, for messages with media or tools, the fields before and after ``role`` and ``text``."""
    tools = batch.tools
    own_media, media_of_result = _media(batch)
    message_calls: defaultdict[int, list[str]] = defaultdict(list)
    results: defaultdict[int, list[str]] = defaultdict(list)
    for part, position in enumerate(tools.message):
        if not tools.is_result[part]:
            message_calls[position].append(calls[part])
            continue
        name, output = tools.tool_name[part], tools.text[part]
        if not name and part in answers:
            name = tools.tool_name[answers[part]]
        results[position].append(
            _object(
                attachments=_array(media_of_result.get(part, ())),
                name=json_string(name) if name else None,
                output=json_string(output) if output else None,
            )
        )
    found: dict[int, tuple[str, str]] = {}
    for position in {*own_media, *message_calls, *results}:
        media = _array(own_media.get(position, ()))
        after = [
            ("tool_calls", _array(message_calls.get(position, ()))),
            ("tool_results", _array(results.get(position, ()))),
        ]
        found[position] = (
            "" if media is None else f'"attachments":{media},',
            "".join([f',"{name}":{value}' for name, value in after if value is not None]),
        )
    return found


def _media(batch: DialogueBatch) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Return the media of messages, and those of tool results by part: what bears the id of a result of its message."""
    tools, media = batch.tools, batch.media
    result_of = {
        (tools.message[part], call): part
        for part in range(len(tools.message) - 1, -1, -1)  # of several results with one id, the first
        if tools.is_result[part] and (call := tools.tool_use_id[part])
    }
    own: defaultdict[int, list[str]] = defaultdict(list)
    of_result: defaultdict[int, list[str]] = defaultdict(list)
    rows = zip(media.message, media.content_sha256, media.uri, media.file_name, media.tool_use_id, strict=True)
    for position, content, uri, name, call in rows:
        identity = json_string(media_identity(content, uri, name))
        result = result_of.get((position, call)) if call else None
        if result is None:
            own[position].append(identity)
        else:
            of_result[result].append(identity)
    return own, of_result


def _answered_calls(batch: DialogueBatch) -> dict[int, int]:
    """Return, for tool results, the call they answer: the nearest one before them on their path with the same id."""
    tools = batch.tools
    return answered_calls(
        batch,
        [
            part
            for part, position in enumerate(tools.message)
            if tools.tool_use_id[part] and not batch.is_hidden[position]
        ],
    )
