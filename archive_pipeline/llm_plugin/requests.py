"""Which prompts of ``llm`` the archive can answer: those whose messages and options say all that determines an answer.

Others go to the model as they are, and their answers are not stored: the archive could not tell them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import llm
from llm.parts import AttachmentPart, Part, ReasoningPart, TextPart, ToolResultPart

from archive_pipeline.domain.answer_endings import why_not_whole
from archive_pipeline.domain.request_options import IDENTIFYING
from archive_pipeline.text.sanitize import clean_text

# A temperature other than 0 says that answers may differ, and is no part of the key.
_OPTIONS: Final = frozenset(IDENTIFYING)


@dataclass(frozen=True, slots=True)
class KnowableRequest:
    """A prompt that the archive can answer.

    Attributes:
        messages: the whole conversation; what is attached has its content.
        options: those that are part of the key.
    """

    messages: tuple[llm.Message, ...]
    options: dict[str, Any]


def knowable_request(prompt: llm.Prompt) -> KnowableRequest | None:
    """Return what the archive is asked for; None if something else determines the answer too.

    That is a schema, tools, a system prompt beside the messages, an option that is no part of the key, an attachment
    that is only an address, or a text that the archive holds in another form (NUL, lone surrogates).

    Raises:
        OSError: a file that is attached cannot be read.
    """
    if prompt.schema or prompt.tools or _has_system_beside(prompt):
        return None
    options = prompt.options.model_dump(exclude_none=True, exclude_defaults=True)
    messages = [_with_contents(message) for message in prompt.messages]
    known = [message for message in messages if message is not None]
    if not known or len(known) < len(messages) or not options.keys() <= _OPTIONS:
        return None
    return KnowableRequest(tuple(known), options)


def storable_answer(
    messages: Sequence[llm.Message], attachments: Sequence[llm.Attachment], told: object
) -> llm.Message | None:
    """Return what a model answered if it is one whole text, beside reasoning: what the archive can give back as it was.

    Args:
        messages: of the answer.
        attachments: of the answer.
        told: what the model's vendor says of it, as JSON.
    """
    if len(messages) != 1 or attachments or why_not_whole(told) is not None:
        return None
    parts = [part for part in messages[0].parts if not isinstance(part, ReasoningPart)]
    if len(parts) != 1 or not isinstance(parts[0], TextPart):
        return None
    return messages[0] if parts[0].text.strip() and _is_kept(parts[0].text) else None


def _has_system_beside(prompt: llm.Prompt) -> bool:
    """Tell whether there is a system prompt that the messages do not have: a model may send it all the same."""
    texts = [
        part.text
        for message in prompt.messages
        if message.role == "system"
        for part in message.parts
        if isinstance(part, TextPart)
    ]
    return bool(prompt.system) and prompt.system not in texts


def _with_contents(message: llm.Message) -> llm.Message | None:
    parts = [_part(part) for part in message.parts]
    known = [part for part in parts if part is not None]
    return replace(message, parts=known) if len(known) == len(parts) else None


def _is_kept(text: str) -> bool:
    """Tell whether the archive holds the text as it is: without what PostgreSQL does not take."""
    return clean_text(text, Counter()) == text


def _part(part: Part) -> Part | None:
    if isinstance(part, TextPart) and not _is_kept(part.text):
        return None
    if isinstance(part, AttachmentPart) and part.attachment is not None:
        content = _content(part.attachment)
        return None if content is None else replace(part, attachment=content)
    if isinstance(part, ToolResultPart) and part.attachments:
        files = [_content(file) for file in part.attachments]
        return None if None in files else replace(part, attachments=files)
    return part


def _content(file: llm.Attachment) -> llm.Attachment | None:
    """Return an attachment with its content and without its path; None where it is only an address."""
    if not (file.content or file.path):
        return None
    return llm.Attachment(type=file.type, content=file.content_bytes())  # type: ignore[no-untyped-call]
