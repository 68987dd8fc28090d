"""Conversations of one message, of chat programs."""

from __future__ import annotations

from typing import Any

from archive_pipeline_tests.readers.alone.case import Case, seeded
from benchmarks.fuzz import (
    ai_studio,
    chatgpt,
    claude_ai,
    claude_design,
    deepseek,
    gemini,
    grok,
    le_chat,
    librechat,
    lm_studio,
    m365_copilot,
    microsoft_copilot,
    open_webui,
)
from benchmarks.fuzz.marks import Marks


def chatgpt_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with content of a type, and the message's node."""
    random = seeded(f"{kind} {role}")
    message = chatgpt.message(random, marks, "node")
    message["author"]["role"] = role
    message["content"] = chatgpt.CONTENTS[kind](random, marks)
    node = {"id": "node", "parent": None, "children": [], "message": message}
    return {"conversation_id": marks.text(), "mapping": {"node": node}}, node


def claude_ai_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with one block of a type, and the message."""
    random = seeded(f"{kind} {role}")
    message = claude_ai.message(random, marks) | {"sender": role, "content": [claude_ai.BLOCKS[kind](random, marks)]}
    return {"uuid": marks.text(), "chat_messages": [message]}, message


def claude_design_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chat of one message with one block of a type, and the message."""
    random = seeded(f"{kind} {role}")
    message = claude_design.message(random, marks) | {"role": role}
    message["content"]["contentBlocks"] = [claude_design.BLOCKS[kind](random, marks)]
    return {"uuid": marks.text(), "title": marks.text(), "messages": [message]}, message


def deepseek_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with one fragment of a type or none, and the message's node."""
    random = seeded(f"{kind} {role}")
    message = {**deepseek.message(random, marks), "role": role} if kind else deepseek.early_message(random, marks)
    if kind:
        message["fragments"] = [deepseek.FRAGMENTS[kind - 1](random, marks)]
    node = {"id": "node", "parent": None, "children": [], "message": message}
    return {"id": marks.text(), "inserted_at": marks.number(), "mapping": {"node": node}}, node


def grok_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one response, and the entry."""
    entry = grok.response(seeded(f"{kind}"), marks)
    entry["response"]["sender"] = role
    return {"conversation": {"id": marks.text(), "title": marks.text()}, "responses": [entry]}, entry


def open_webui_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chat of one message with content of a kind, and the message."""
    message = open_webui.message(seeded(f"{kind} {role}"), marks, open_webui.CONTENTS[kind], role)
    chat = {"history": {"messages": {message["id"]: message}, "currentId": message["id"]}}
    return {"id": marks.text(), "user_id": marks.text(), "chat": chat}, message


def librechat_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """An export of one message with one part of a type, and the part; of the first type the message."""
    random = seeded(f"{kind} {role}")
    message = librechat.message(random, marks, is_users=role == "user")
    message["content"] = [librechat.PARTS[kind](random, marks)]
    conversation = {"conversationId": marks.text(), "exportAt": marks.text(), "messages": [message]}
    return conversation, message if kind == 0 else message["content"][0]


def lm_studio_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one message with one item or step of a type, and the version of it."""
    random = seeded(f"{kind} {role}")
    is_users = role == "user"
    version = lm_studio.message(random, marks, is_users=is_users)["versions"][0]
    makers = lm_studio.ITEMS if is_users else lm_studio.STEPS
    version["content" if is_users else "steps"] = [makers[kind](random, marks)]
    return {"name": marks.text(), "messages": [{"versions": [version], "currentlySelected": 0}]}, version


def le_chat_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chat of one message with one chunk of a kind, and the message."""
    message = le_chat.message(seeded(f"{kind} {role}"), marks, role, [le_chat.CHUNKS[kind]])
    return {"tree": marks.text(), "messages": [message]}, message


def m365_copilot_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A session of one interaction with something attached, and the interaction."""
    message = m365_copilot.message(seeded(f"{kind} {role}"), marks, role, m365_copilot.ATTACHMENTS[kind])
    return {"tree": marks.text(), "messages": [message]}, message


def microsoft_copilot_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one row of a layout, and the row."""
    row = microsoft_copilot.LAYOUTS[kind](seeded(f"{kind} {role}"), marks, marks.text(), role)
    return {"csv": "microsoft_copilot", "rows": [row]}, row


def ai_studio_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A prompt of one chunk with content of a kind, and the chunk."""
    chunk = ai_studio.chunk(seeded(f"{kind} {role}"), marks, ai_studio.CONTENTS[kind], role)
    return {"runSettings": {"model": marks.text()}, "chunkedPrompt": {"chunks": [chunk]}}, chunk


def gemini_alone(kind: int, role: str, marks: Marks) -> tuple[dict[str, Any], dict[str, Any]]:
    """A conversation of one turn, and the turn; or a record of activity with an answer of a kind."""
    random = seeded(f"{kind} {role}")
    if role == "activity":
        record = gemini.activity(random, marks, gemini.ANSWERS[kind])
        return record, record
    turn = gemini.turn(random, marks, role)
    return {"title": marks.text(), "creation_time": marks.text(), "conversation_turns": [turn]}, turn


CASES: list[Case] = []
CASES += [
    ("chatgpt", chatgpt_alone, kind, role)
    for kind in range(len(chatgpt.CONTENTS))
    for role in ("user", "assistant", "tool")
]
CASES += [
    ("claude_ai", claude_ai_alone, kind, role)
    for kind in range(len(claude_ai.BLOCKS))
    for role in ("human", "assistant")
]
CASES += [("claude_design", claude_design_alone, kind, "assistant") for kind in range(len(claude_design.BLOCKS))]
CASES += [
    ("deepseek", deepseek_alone, kind, role)
    for kind in range(len(deepseek.FRAGMENTS) + 1)
    for role in ("USER", "ASSISTANT")
]
CASES += [("grok", grok_alone, kind, role) for kind in range(6) for role in ("human", "ASSISTANT")]
CASES += [
    ("open_webui", open_webui_alone, kind, role)
    for kind in range(len(open_webui.CONTENTS))
    for role in ("user", "assistant")
]
CASES += [("librechat", librechat_alone, kind, "model") for kind in range(len(librechat.PARTS) - 1)] + [
    ("librechat", librechat_alone, 0, "user")
]
CASES += [("lm_studio", lm_studio_alone, kind, "user") for kind in range(len(lm_studio.ITEMS) - 1)] + [
    ("lm_studio", lm_studio_alone, kind, "assistant") for kind in range(len(lm_studio.STEPS) - 1)
]
CASES += [
    ("ai_studio", ai_studio_alone, kind, role) for kind in range(len(ai_studio.CONTENTS)) for role in ("user", "model")
]
CASES += [("gemini", gemini_alone, kind, "activity") for kind in range(len(gemini.ANSWERS))]
CASES += [("gemini", gemini_alone, 0, role) for role in gemini.KINDS]
CASES += [("le_chat", le_chat_alone, kind, "assistant") for kind in range(len(le_chat.CHUNKS))]
CASES += [("le_chat", le_chat_alone, 0, "user")]
CASES += [
    ("m365_copilot", m365_copilot_alone, kind, role)
    for kind in range(len(m365_copilot.ATTACHMENTS))
    for role in ("userPrompt", "aiResponse")
]
CASES += [
    ("microsoft_copilot", microsoft_copilot_alone, kind, role)
    for kind in range(len(microsoft_copilot.LAYOUTS))
    for role in ("Human", "AI", "api_tool")
]
