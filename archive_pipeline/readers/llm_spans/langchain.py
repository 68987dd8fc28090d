"""Messages of LangChain: serialised, as dictionaries, and with calls and tools where its handlers put them."""

from __future__ import annotations

from typing import Any, Final

from archive_pipeline.readers.chat_lines.wording import ROLES_OF_DATASETS
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text

_Message = dict[str, Any]
# Its classes and types, by their beginning.
_ROLES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
# What the API of a model has that LangChain has no field for.
_BESIDE: Final = "additional_kwargs"


def is_of_langchain(message: _Message) -> bool:
    """Tells whether an object without a role is one of its messages."""
    is_one = message.get("lc") == 1 or _role_of(as_text(message.get("type")) or "") is not None
    return is_one and ("kwargs" in message or "content" in message)


def unpacked(message: _Message) -> _Message:
    """Returns a message that LangChain wrote with its role and its calls."""
    return _with_tool(_with_calls(_with_role(message)))


def _with_role(message: _Message) -> _Message:
    """Returns a message that is serialised, or a dictionary with its type, with its role."""
    inner, kind = message.get("kwargs", message.get("data")), as_text(message.get("type"))
    if isinstance(inner, dict) and (message.get("lc") == 1 or message.keys() <= {"type", "data"}):
        names = as_list(message.get("id"))
        name = as_text(names[-1]) if names else None
        role = _role_of(as_text(inner.get("type")) or name or kind or "")
        return message if role is None else _without_class(message, inner, role)
    role = _role_of(kind or "")
    return {**message, "role": role} if role and "role" not in message and "content" in message else message


def _without_class(message: _Message, inner: _Message, role: str) -> _Message:
    """Returns a message with what LangChain has around it: the path of its class is called ``id``, as its own id is."""
    words = {"lc": 1, "type": "constructor" if "lc" in message else message.get("type")}
    rest = {field: item for field, item in message.items() if item is not inner and words.get(field) != item}
    if isinstance(rest.get("id"), list) and "lc_id" not in rest:
        rest["lc_id"] = rest.pop("id")
    if inner.get("role") not in (None, role):
        rest["role"] = inner["role"]
    said = {**inner, "role": role}
    return {**rest, **said} if rest.keys().isdisjoint(said) else {**said, "beside": rest}


def _with_calls(message: _Message) -> _Message:
    """Returns a message with the calls that handlers of Langfuse, and older versions, have as the model's API does."""
    beside = as_object(message.get(_BESIDE))
    calls = as_list(beside.get("tool_calls"))
    if not calls or not is_empty(message.get("tool_calls")):
        return message
    rest = {name: item for name, item in beside.items() if name != "tool_calls"}
    return {**message, _BESIDE: rest, "tool_calls": calls}


def _with_tool(message: _Message) -> _Message:
    """Returns a message of a tool whose role is the tool's name, as handlers of Langfuse have it, as the tool's."""
    role = as_text(message.get("role"))
    is_told = as_text(message.get("tool_call_id")) or isinstance(message.get(_BESIDE), dict)
    if role is None or not is_told or role.lower() in ROLES_OF_DATASETS or message.get("name") not in (None, "", role):
        return message
    return {**message, "role": "tool", "name": role}


def _role_of(kind: str) -> str | None:
    beginning = kind.lower().removesuffix("chunk").removesuffix("message").removesuffix("message")
    return _ROLES.get(beginning)
