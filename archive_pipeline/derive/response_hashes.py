"""``response_hashes`` and ``message_contexts``: content addresses of messages and of the ways to them (seed 003).

docs/hashes.md is the contract. A message without canonical content is transparent: its children hang on the nearest
canonical message above. An assistant message is a response; what is between it and the response before it on its path
is its prompt.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from archive_pipeline.derive.asset import CONTENT, MESSAGE, DerivedAsset
from archive_pipeline.derive.canonical import CanonicalMessages, canonical_messages, deterministic_options
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.domain.batch import ROOT, DialogueBatch
from archive_pipeline.domain.frames import frame
from archive_pipeline.text.runtime import UNICODE

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "2"
RESPONSE_ROLE: Final = "assistant"

# First line of each preimage. What is hashed under one tag never changes; a new canonical form gets a new number.
_MESSAGE: Final = b"llm-archive/message/1\n"
_CONTEXT: Final = b"llm-archive/context/1\n"
_NORMALIZED_CONTEXT: Final = b"llm-archive/normalized-context/1\n"
_PROMPT: Final = b"llm-archive/prompt/1\n"


@dataclass(frozen=True)
class MessageHashes:
    """Hashes per message, by position in the batch; SHA-256 in hex.

    Attributes:
        is_canonical: the message counts: it is not hidden and has canonical content.
        canonical_parent: position of the nearest canonical message above, ``ROOT`` if there is none.
        message_hash: of the message itself; None if it is not canonical, as are all that follow.
        context_hash: of it and every canonical message above.
        normalized_hash: the same over messages with normalised texts.
        prompt_path_hash: the ``path_hash`` of a response to it without options; None for responses.
        open_prompt_hash: the ``prompt_hash`` of the same; None for responses.
        parent_response: position of the nearest response above, ``ROOT`` if there is none.
        prompt_hash: for responses, of the messages since the response above, and of deterministic options.
        path_hash: for responses, of all prompts on the way: the ``prompt_hash``, or that of the response above's
            ``path_hash``, a colon and the ``prompt_hash``.
    """

    is_canonical: list[bool]
    canonical_parent: list[int]
    message_hash: list[str | None]
    context_hash: list[str | None]
    normalized_hash: list[str | None]
    prompt_path_hash: list[str | None]
    open_prompt_hash: list[str | None]
    parent_response: list[int]
    prompt_hash: list[str | None]
    path_hash: list[str | None]


def hash_messages(batch: DialogueBatch) -> MessageHashes:
    """Return the hashes of all messages of the batch."""
    canonical = canonical_messages(batch)
    is_canonical = [message is not None for message in canonical.exact]
    sha256 = hashlib.sha256
    message_hash = [None if message is None else sha256(_MESSAGE + message).hexdigest() for message in canonical.exact]
    encoded = [None if own is None else own.encode() for own in message_hash]
    parents, order = _canonical_parents(batch, is_canonical), forest_of(batch).order
    prompts = _Prompts(batch, canonical, message_hash, parents)
    return MessageHashes(
        is_canonical=is_canonical,
        canonical_parent=parents,
        message_hash=message_hash,
        context_hash=_chain(_CONTEXT, order, parents, encoded),
        normalized_hash=_chain(_NORMALIZED_CONTEXT, order, parents, canonical.normalized),
        prompt_path_hash=prompts.prompt_path_hash,
        open_prompt_hash=prompts.open_prompt_hash,
        parent_response=prompts.parent_response,
        prompt_hash=prompts.prompt_hash,
        path_hash=prompts.path_hash,
    )


def response_hashes(batch: DialogueBatch) -> dict[str, pd.DataFrame]:
    """Return one row per response and one per canonical message."""
    hashes = hash_messages(batch)
    ids, dialogues = batch.message_ids, batch.dialogue_of_message

    def id_or_none(position: int) -> str | None:
        return None if position == ROOT else ids[position]

    responses = [position for position, path_hash in enumerate(hashes.path_hash) if path_hash is not None]
    messages = [position for position, is_canonical in enumerate(hashes.is_canonical) if is_canonical]
    return {
        "response_hashes": frame(
            {
                "response_message_id": [ids[position] for position in responses],
                "dialogue_id": [dialogues[position] for position in responses],
                "parent_response_id": [id_or_none(hashes.parent_response[position]) for position in responses],
                "prompt_hash": [hashes.prompt_hash[position] for position in responses],
                "response_hash": [hashes.message_hash[position] for position in responses],
                "path_hash": [hashes.path_hash[position] for position in responses],
                "context_hash": [hashes.context_hash[position] for position in responses],
            }
        ),
        "message_contexts": frame(
            {
                "message_id": [ids[position] for position in messages],
                "dialogue_id": [dialogues[position] for position in messages],
                "context_parent_id": [id_or_none(hashes.canonical_parent[position]) for position in messages],
                "context_hash": [hashes.context_hash[position] for position in messages],
                "normalized_hash": [hashes.normalized_hash[position] for position in messages],
                "prompt_path_hash": [hashes.prompt_path_hash[position] for position in messages],
            }
        ),
    }


def _canonical_parents(batch: DialogueBatch, is_canonical: list[bool]) -> list[int]:
    found, parent = [ROOT] * len(batch), batch.parent
    for position in forest_of(batch).order:
        above = parent[position]
        if above != ROOT:
            found[position] = above if is_canonical[above] else found[above]
    return found


def _chain(tag: bytes, order: list[int], parents: list[int], own: list[bytes | None]) -> list[str | None]:
    """Return the Merkle hash of each message: over the parent's (empty for a root) and what is its own."""
    sha256 = hashlib.sha256
    found = [""] * len(order)
    for position in order:
        message = own[position]
        if message is not None:
            above = parents[position]
            parent_hash = "" if above == ROOT else found[above]
            found[position] = sha256(tag + parent_hash.encode() + b"\n" + message).hexdigest()
    return [digest or None for digest in found]


def path_hash_of(above: str | None, prompt_hash: str) -> str:
    """Return the path hash of a prompt below a response with the given one; None where no response is above."""
    return prompt_hash if above is None else hashlib.sha256(f"{above}:{prompt_hash}".encode()).hexdigest()


class _Prompts:
    """The hashes of prompts: each message goes on with the state its parent left, so that long prompts stay linear."""

    def __init__(
        self, batch: DialogueBatch, canonical: CanonicalMessages, message_hash: list[str | None], parents: list[int]
    ) -> None:
        count = len(batch)
        self._empty = hashlib.sha256(_PROMPT)
        self._parents = parents
        # What was hashed of the prompt up to a message; absent where the prompt is still empty.
        self._states: dict[int, Any] = {}
        self.prompt_hash: list[str | None] = [None] * count
        self.path_hash: list[str | None] = [None] * count
        self.prompt_path_hash: list[str | None] = [None] * count
        self.open_prompt_hash: list[str | None] = [None] * count
        self.parent_response = [ROOT] * count
        roles, answered = batch.role, canonical.answered_calls
        for position in forest_of(batch).order:
            above = parents[position]
            if above != ROOT:
                self.parent_response[position] = above if roles[above] == RESPONSE_ROLE else self.parent_response[above]
            own = message_hash[position]
            if own is None:
                continue
            if roles[position] == RESPONSE_ROLE:
                self._response(position, batch.options[position])
            else:
                self._prompt(position, own, answered.get(position, []))

    def _state(self, above: int) -> Any:
        return self._states.get(above, self._empty).copy()

    def _prompt(self, position: int, message_hash: str, answered: list[bytes]) -> None:
        state = self._state(self._parents[position])
        state.update(b"".join([message_hash.encode(), b"\n", *[call + b"\n" for call in answered]]))
        self._states[position] = state
        digest = state.hexdigest()
        self.open_prompt_hash[position] = digest
        self.prompt_path_hash[position] = self._path(position, digest)

    def _response(self, position: int, options: str | None) -> None:
        state = self._state(self._parents[position])
        kept = deterministic_options(options)
        if kept is not None:
            state.update(f"options:{kept}\n".encode())
        digest = state.hexdigest()
        self.prompt_hash[position] = digest
        self.path_hash[position] = self._path(position, digest)

    def _path(self, position: int, prompt_hash: str) -> str:
        above = self.parent_response[position]
        return path_hash_of(None if above == ROOT else self.path_hash[above], prompt_hash)


ASSET: Final = DerivedAsset(
    name="response_hashes",
    of=DialogueBatch,
    tables=("response_hashes", "message_contexts"),
    upstream=("message_paths",),
    derive=lambda batch, _: response_hashes(batch),
    code_version=CODE_VERSION,
    runtime_version=lambda: UNICODE,
    description=(
        "Finds responses by the prompt, the prompts or the whole context they follow; derived.message_contexts has the "
        "same for every message."
    ),
    reads=("messages", "content_parts", "attachments"),
    lineage={
        "response_message_id": MESSAGE,
        "parent_response_id": ("raw/messages.parent_id", "raw/messages.role"),
        "prompt_hash": (*CONTENT, "raw/messages.request_options"),
        "response_hash": CONTENT,
        "path_hash": ("response_hashes.prompt_hash",),
        "context_hash": CONTENT,
        "message_contexts.message_id": MESSAGE,
        "message_contexts.context_hash": CONTENT,
    },
)
