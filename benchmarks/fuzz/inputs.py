"""What an input is: a number and a kind make it, the same one on every machine."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from benchmarks.fuzz import (
    ai_studio,
    atif,
    chat_arrays,
    chatgpt,
    claude_ai,
    claude_code,
    claude_design,
    cline,
    codex,
    containers,
    continue_dev,
    copilot_chat,
    copilot_cli,
    crush,
    cursor,
    deepseek,
    droid,
    gemini,
    gemini_cli,
    gemini_page,
    goose,
    grok,
    hermes,
    instructions,
    le_chat,
    librechat,
    llm,
    llm_spans,
    lm_studio,
    m365_copilot,
    microsoft_copilot,
    oasst,
    open_webui,
    openai_messages,
    opencode,
    pi,
    projects,
    qwen_code,
    session_trace,
    sharegpt,
    zed,
)
from benchmarks.fuzz.marks import Marks
from benchmarks.fuzz.mutations import crowd, mutate

Maker = Callable[[Random, Marks], dict[str, Any]]

KINDS: Final = ("marks", "structure", "bytes", "containers", "arrays", "projects", "pages", "tables")
# Of conversations, one for each source.
MAKERS: Final = (
    ai_studio.conversation,
    atif.conversation,
    chatgpt.conversation,
    claude_ai.conversation,
    claude_code.session,
    claude_design.conversation,
    cline.conversation,
    codex.conversation,
    continue_dev.conversation,
    copilot_chat.conversation,
    cursor.conversation,
    copilot_cli.conversation,
    crush.conversation,
    deepseek.conversation,
    droid.conversation,
    gemini.conversation,
    gemini_cli.conversation,
    goose.conversation,
    grok.conversation,
    hermes.conversation,
    instructions.conversation,
    le_chat.conversation,
    librechat.conversation,
    llm.conversation,
    llm_spans.conversation,
    lm_studio.conversation,
    m365_copilot.conversation,
    microsoft_copilot.conversation,
    oasst.conversation,
    open_webui.conversation,
    opencode.conversation,
    openai_messages.conversation,
    pi.conversation,
    qwen_code.conversation,
    sharegpt.conversation,
    session_trace.conversation,
    zed.conversation,
)
_TOKENS: Final = (
    *(b"[", b"]", b"{", b"}", b",", b":", b'"', b"\\", b"null", b"[],", b'{"mapping":{}}', b'"chat_messages":['),
    *(b'"fragments":[', b'"responses":[{"response":{', b'"lines":[{"type":"session_meta","payload":{'),
    *(b"\0", b"\\u0000", b"\\ud800", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"1e999", b"NaN", b"9" * 25, b"PK\x03\x04"),
    *(b'<div class="outer-cell', b"</div>", b"<br>", b"<p>", b"</body></html>"),
)
# Long inputs take long to read, which is why there are few of them.
_FLOODED: Final = 0.002
_CROWDED: Final = 0.002
# Of containers, arrays, projects, pages and tables: in their bytes.
_DAMAGED: Final = 0.2


@dataclass(frozen=True, slots=True)
class Input:
    """One file to be read.

    Attributes:
        name: of the file.
        data: its bytes.
        said: what it says, of inputs whose every value is looked for: conversations, messages or texts; None of others.
    """

    name: str
    data: bytes
    said: list[Any] | None


def make_input(seed: int, kind: str, number: int) -> Input:
    """Return the input of a kind with a number.

    ``marks`` change up to two places of one conversation, ``structure`` up to twelve of up to three, ``bytes`` damage
    the file or zip itself. ``containers`` are exports of several files, ``arrays`` what is given to be matched,
    ``projects`` what Claude.ai keeps beside conversations, ``pages`` activity of the Gemini app as HTML, ``tables``
    that of Microsoft Copilot as CSV; some of each are damaged too.
    """
    random = Random(f"{seed}/{kind}/{number}")
    if kind in _OTHER_KINDS:
        return _OTHER_KINDS[kind](random)
    if kind == "marks":
        return _written(changed_conversations(random, 1, 2), random)
    if kind == "structure":
        return _written(changed_conversations(random, random.randint(1, 3), 12), random)
    whole = _written(changed_conversations(random, random.randint(1, 3), 1), random)
    return Input(whole.name, _damaged(bytearray(whole.data), random), None)


def _container(random: Random) -> Input:
    conversations = changed_conversations(random, random.randint(1, 4), 1)
    data = containers.export(random, conversations)
    if random.random() < _DAMAGED:
        return Input("export.zip", _damaged(bytearray(data), random), None)
    return Input("export.zip", data, conversations)


def _array(random: Random) -> Input:
    marks = Marks()
    messages = chat_arrays.messages(random, marks)
    for _ in range(random.randint(0, 3)):
        mutate(messages, random, marks)
    data = _utf8(json.dumps(messages, ensure_ascii=random.random() < 0.5))
    if random.random() < _DAMAGED:
        return Input("messages.json", _damaged(bytearray(data), random), None)
    return Input("messages.json", data, messages)


def _projects(random: Random) -> Input:
    marks = Marks()
    made = [projects.project(random, marks) for _ in range(random.randint(1, 3))]
    memory = projects.memories(random, marks, made)
    said: list[Any] | None = [made, memory]
    for changed in random.choices((made, memory), k=random.choice((0, 1, 5))):
        mutate(changed, random, marks)
        said = None
    name, data = projects.container(random, made, memory)
    if random.random() < _DAMAGED:
        return Input(name, _damaged(bytearray(data), random), None)
    return Input(name, data, said)


def _page(random: Random) -> Input:
    text, said = gemini_page.page(random, Marks())
    if random.random() < _DAMAGED:
        # An escape of JSON is a text like others in a page.
        damaged = _damaged(bytearray(_utf8(text)), random).replace(rb"\u0000", b"\0")
        return Input("MyActivity.html", damaged, None)
    return Input("MyActivity.html", _utf8(text), said)


def _table(random: Random) -> Input:
    data, said = microsoft_copilot.table(random, Marks())
    if random.random() < _DAMAGED:
        return Input("copilot.csv", _damaged(bytearray(data), random), None)
    return Input("copilot.csv", data, said)


def changed_conversations(random: Random, count: int, most_changes: int) -> list[dict[str, Any]]:
    """Return conversations of one source, changed in up to ``most_changes`` places each."""
    return changed(random.choice(MAKERS), random, count, most_changes)


def changed(make: Maker, random: Random, count: int, most_changes: int) -> list[dict[str, Any]]:
    """Return conversations of a source, changed in up to ``most_changes`` places each."""
    marks = Marks()
    conversations = [make(random, marks) for _ in range(count)]
    for conversation in conversations:
        for _ in range(random.randint(0, most_changes)):
            mutate(conversation, random, marks)
        if random.random() < _CROWDED:
            crowd(conversation, random, marks)
    return conversations


def _written(conversations: list[dict[str, Any]], random: Random) -> Input:
    value: Any = random.choice((conversations, conversations, conversations, {"conversations": conversations}))
    text = json.dumps(value, ensure_ascii=random.random() < 0.5)
    encode = random.choice((_utf8, _utf8, _utf8, _utf8, _utf8_with_mark, _utf16))
    data = encode(text)
    if random.random() < 0.1:
        zipped = _zipped(data, random)
        return Input("export.zip", zipped if random.random() < 0.7 else _zipped_again(zipped, random), conversations)
    return Input("conversations.json", data, conversations)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _utf8_with_mark(text: str) -> bytes:
    return b"\xef\xbb\xbf" + _utf8(text)


def _utf16(text: str) -> bytes:
    # Half a character is no UTF-16; as an escape it is.
    return json.dumps(json.loads(text)).encode("utf-16")


def _zipped(data: bytes, random: Random) -> bytes:
    buffer = io.BytesIO()
    method = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w") as archive:
        # Members by objects, which have a fixed time: by name they would have the present one.
        name = random.choice(("conversations.json", "export/conversations-000.json"))
        archive.writestr(zipfile.ZipInfo(name), data, method)
        if random.random() < 0.3:
            archive.writestr(zipfile.ZipInfo("user.json"), b"{}", method)
    return buffer.getvalue()


def _zipped_again(data: bytes, random: Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        name = "User Online Activity/Conversations__u-chatgpt-0001.zip"
        archive.writestr(zipfile.ZipInfo(name), data, random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
        archive.writestr(zipfile.ZipInfo("Financial/private.json"), b"[", zipfile.ZIP_STORED)
    return buffer.getvalue()


def _damaged(data: bytearray, random: Random) -> bytes:
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(data))
        damage = _flood if random.random() < _FLOODED else random.choice(_DAMAGES)
        damage(data, at, random)
    return bytes(data)


def _flip(data: bytearray, at: int, random: Random) -> None:
    if at < len(data):
        data[at] ^= 1 << random.randrange(8)


def _insert(data: bytearray, at: int, random: Random) -> None:
    data[at:at] = random.choice(_TOKENS) * random.choice((1, 1, 1, 2, 300))


def _delete(data: bytearray, at: int, random: Random) -> None:
    del data[at : at + random.choice((1, 1, 8, 200))]


def _repeat(data: bytearray, at: int, random: Random) -> None:
    piece = data[at : at + random.choice((1, 8, 200))]
    data[at:at] = piece * random.choice((1, 2, 50))


def _move(data: bytearray, at: int, random: Random) -> None:
    piece = data[at : at + random.choice((1, 8, 200))]
    del data[at : at + len(piece)]
    to = random.randint(0, len(data))
    data[to:to] = piece


def _cut(data: bytearray, at: int, _random: Random) -> None:
    del data[at:]


def _flood(data: bytearray, at: int, random: Random) -> None:
    data[at:at] = random.choice(_TOKENS) * random.randint(1_000, 5_000)


_DAMAGES: Final[tuple[Callable[[bytearray, int, Random], None], ...]] = (
    _flip, _flip, _insert, _insert, _delete, _repeat, _move, _cut,
)  # fmt: skip

_OTHER_KINDS: Final[dict[str, Callable[[Random], Input]]] = {
    "containers": _container,
    "arrays": _array,
    "projects": _projects,
    "pages": _page,
    "tables": _table,
}
