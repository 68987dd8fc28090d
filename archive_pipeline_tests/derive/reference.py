"""The derived tables by their definitions: seeds 000, 001, 004 and the decisions, one path at a time, without speed.

Everything here is quadratic or worse, works on one dialogue, and follows the documents' words; nothing is imported from
the code under test but its input and the ids.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from archive_pipeline.derive.batch import DialogueBatch

UNKNOWN_TIME = -(2**63)


@dataclass(frozen=True)
class Message:
    """A message of the batch, by id."""

    id: str
    parent: str | None
    role: str
    number: int
    time: int
    text: str | None
    is_usable: bool
    has_other_content: bool


@dataclass(frozen=True)
class Run:
    """An exchange: a run of a path."""

    messages: tuple[Message, ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.messages[0].id, self.messages[-1].id

    def texts(self, role: str) -> list[str]:
        return [m.text for m in self.messages if m.role == role and m.text is not None]

    def text(self, role: str) -> str | None:
        return "\n\n".join(self.texts(role)) or None


class Dialogue:
    """One dialogue of a batch."""

    def __init__(self, batch: DialogueBatch, index: int) -> None:
        self.id = batch.dialogue_ids[index]
        self.active = batch.active_ids[index]
        self.messages = [
            Message(
                batch.message_ids[at],
                None if batch.parent[at] < 0 else batch.message_ids[batch.parent[at]],
                batch.role[at],
                batch.sequence_number[at],
                int(batch.created_at[at]),
                batch.text[at],
                batch.is_complete[at] and not batch.is_hidden[at],
                batch.has_other_content[at],
            )
            for at in range(len(batch.message_ids))
            if batch.dialogue[at] == index
        ]
        self.by_id = {message.id: message for message in self.messages}

    def ancestors(self, message: Message) -> list[Message]:
        """Root first."""
        found: list[Message] = []
        while message.parent is not None:
            message = self.by_id[message.parent]
            found.insert(0, message)
        return found

    def path(self, message: Message) -> list[Message]:
        return [*self.ancestors(message), message]

    def children(self, parent: str | None) -> list[Message]:
        return [message for message in self.messages if message.parent == parent]

    def leaves(self) -> list[Message]:
        return [message for message in self.messages if not self.children(message.id)]

    def paths(self) -> list[list[Message]]:
        return [self.path(leaf) for leaf in self.leaves()]

    def primary_leaf(self) -> Message | None:
        """Deepest, then most recent, then last in sequence."""
        scored = [(len(self.ancestors(leaf)), leaf.time, leaf.number, leaf) for leaf in self.leaves()]
        return max(scored, key=lambda item: item[:3])[3] if scored else None

    def primary_path(self) -> list[Message]:
        leaf = self.primary_leaf()
        return self.path(leaf) if leaf else []

    def message_paths(self) -> dict[str, dict[str, Any]]:
        primary = self.primary_path()
        active = self.path(self.by_id[self.active]) if self.active in self.by_id else []
        return {
            message.id: {
                "dialogue_id": self.id,
                "depth": len(self.ancestors(message)),
                "is_root": message.parent is None,
                "is_leaf": not self.children(message.id),
                "child_count": len(self.children(message.id)),
                "sibling_index": self.children(message.parent).index(message),
                "is_on_primary_path": message in primary,
                "is_on_active_path": message in active,
            }
            for message in self.messages
        }

    def descendants(self, message: Message) -> set[str]:
        return {other.id for other in self.messages if message in self.ancestors(other)}

    def sibling_class(self, siblings: list[Message]) -> str:
        roles = {message.role for message in siblings}
        if roles in ({"assistant"}, {"tool"}, {"assistant", "tool"}):
            return "regeneration"
        return "edit" if roles == {"user"} else "fork"

    def tree(self) -> dict[str, Any]:
        leaf, roots = self.primary_leaf(), self.children(None)
        branches = [below for message in self.messages if len(below := self.children(message.id)) > 1]
        classes = [self.sibling_class(below) for below in branches]
        return {
            "dialogue_id": self.id,
            "total_nodes": len(self.messages),
            "max_depth": max((len(self.ancestors(message)) for message in self.messages), default=0),
            "root_count": len(roots),
            "branch_count": len(branches),
            "leaf_count": len(self.leaves()),
            "primary_leaf_id": leaf.id if leaf else None,
            "primary_path_length": len(self.path(leaf)) if leaf else None,
            "has_regenerations": "regeneration" in classes,
            "has_edits": "edit" in classes,
            "is_linear": not branches and len(roots) <= 1,
        }

    def sequences(self) -> dict[str, dict[str, Any]]:
        primary = self.primary_path()
        found = {}
        for path in self.paths():
            shared = [message for message in path if message in primary]
            is_primary = path == primary
            if is_primary:
                reason = "primary"
            elif not shared:
                reason = "fork"
            else:
                reason = self.sibling_class(self.children(shared[-1].id))
            branched = None if is_primary or not shared else shared[-1]
            found[path[-1].id] = {
                "dialogue_id": self.id,
                "sequence_length": len(path),
                "is_primary": is_primary,
                "branch_reason": reason,
                "branched_at_depth": None if branched is None else len(self.ancestors(branched)),
                "branched_at_message_id": None if branched is None else branched.id,
            }
        return found

    def prompt_responses(self) -> dict[str, dict[str, Any]]:
        """Seed 001's builder, with the decision that only assistant messages respond."""
        found: dict[str, dict[str, Any]] = {}
        last_user: Message | None = None
        for message in self.messages:
            if message.role == "user":
                last_user = message
            if message.role != "assistant":
                continue
            above = [ancestor for ancestor in self.ancestors(message) if ancestor.role == "user"]
            prompt, rule = (above[-1], "ancestor") if above else (last_user, "fallback")
            if prompt is not None and prompt.id == message.parent:
                rule = "parent"
            if prompt is not None:
                found[message.id] = {
                    "dialogue_id": self.id,
                    "prompt_message_id": prompt.id,
                    "prompt_position": self.messages.index(prompt),
                    "response_position": self.messages.index(message),
                    "prompt_role": "user",
                    "response_role": "assistant",
                    "pairing_rule": rule,
                    "prompt_text": prompt.text,
                    "response_text": message.text,
                    "prompt_word_count": None if prompt.text is None else len(prompt.text.split()),
                    "response_word_count": None if message.text is None else len(message.text.split()),
                }
        return found

    def runs_of(self, path: list[Message]) -> list[Run]:
        """An exchange closes when an assistant message has been seen and the next message is a user message."""
        runs: list[list[Message]] = []
        for message in path:
            answered = bool(runs) and any(m.role == "assistant" for m in runs[-1])
            if not runs or (message.role == "user" and answered):
                runs.append([])
            runs[-1].append(message)
        return [Run(tuple(run)) for run in runs]

    def exchanges(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Exchanges by (first, last)."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        leads_to: dict[tuple[str, str], tuple[str, str]] = {}
        for path in self.paths():
            original: tuple[str, str] | None = None
            before: Run | None = None
            for place, run in enumerate(self.runs_of(path)):
                pattern = None if before is None else continuation(run)
                if pattern is None or original is None:
                    original = run.key
                else:
                    leads_to[run.key] = original
                found[run.key] = {
                    **self._exchange(run, pattern, before),
                    "previous_exchange": before.key if before else None,
                    "path_position": place,
                }
                before = run
        for key, row in found.items():
            row["merged_count"] = list(leads_to.values()).count(key)
        return found

    def _exchange(self, run: Run, pattern: str | None, before: Run | None) -> dict[str, Any]:
        times = [message.time for message in run.messages if message.time != UNKNOWN_TIME]
        user, assistant = run.text("user"), run.text("assistant")
        full = "\n\n".join(text for text in (user, assistant) if text) or None
        return {
            "dialogue_id": self.id,
            "message_count": len(run.messages),
            "user_message_count": sum(message.role == "user" for message in run.messages),
            "assistant_message_count": sum(message.role == "assistant" for message in run.messages),
            "is_continuation": pattern is not None,
            "continuation_of": before.key if before and pattern else None,
            "continuation_pattern": pattern,
            "started_at": min(times, default=None),
            "ended_at": max(times, default=None),
            "user_text": user,
            "assistant_text": assistant,
            "full_text": full,
            "user_text_hash": sha256(user),
            "assistant_text_hash": sha256(assistant),
            "full_text_hash": sha256(full),
            "user_word_count": None if user is None else len(user.split()),
            "assistant_word_count": None if assistant is None else len(assistant.split()),
            "total_word_count": None if full is None else len(full.split()),
        }

    def exchange_messages(self) -> set[tuple[tuple[str, str], str, int]]:
        return {
            (run.key, message.id, position)
            for path in self.paths()
            for run in self.runs_of(path)
            for position, message in enumerate(run.messages)
        }

    def sequence_exchanges(self) -> set[tuple[str, tuple[str, str], int]]:
        return {
            (path[-1].id, run.key, position) for path in self.paths() for position, run in enumerate(self.runs_of(path))
        }

    def turns(self, answer: str) -> set[tuple[str, str]]:
        """(user message, answer) of every path, by seed 004's rule or the decision's."""
        found = set()
        for path in self.paths():
            usable = [message for message in path if message.is_usable]
            for at, message in enumerate(usable):
                if message.role != "user":
                    continue
                turn = usable[at + 1 :]
                end = next((n for n, later in enumerate(turn) if later.role == "user"), len(turn))
                answers = [later for later in turn[:end] if later.role == "assistant"]
                with_text = [later for later in answers if later.text is not None]
                if answers:
                    chosen = answers[0] if answer == "first" else (with_text or answers)[-1]
                    found.add((message.id, chosen.id))
        return found

    def primary_turns(self, answer: str) -> set[tuple[str, str]]:
        alone = Dialogue.__new__(Dialogue)
        alone.messages = self.primary_path()
        alone.by_id = {message.id: message for message in alone.messages}
        return alone.turns(answer)

    def hashed_texts(self) -> Iterator[tuple[str, Any, str, str]]:
        """Entity type, entity (a message's id or an exchange's key), scope, text."""
        for message in self.messages:
            if message.text is not None:
                yield "message", message.id, "full", message.text
                if message.role in {"user", "assistant"}:
                    yield "message", message.id, message.role, message.text
        for key, row in self.exchanges().items():
            for scope in ("full", "user", "assistant"):
                if row[f"{scope}_text"] is not None:
                    yield "exchange", key, scope, row[f"{scope}_text"]


def dialogues(batch: DialogueBatch) -> list[Dialogue]:
    return [Dialogue(batch, index) for index in range(len(batch.dialogue_ids))]


COMMANDS = {"continue": "continue", "go on": "go_on", "keep going": "keep_going", "more": "more"}
COMMANDS |= {"elaborate": "elaborate", "proceed": "proceed"}


def continuation(run: Run) -> str | None:
    """Tell which pattern the user texts of an exchange match, word by word."""
    users = [message for message in run.messages if message.role == "user"]
    text = "\n\n".join(message.text for message in users if message.text is not None).lower()
    if not text.strip():
        return None if any(message.has_other_content for message in users) else "empty"
    lines = [line for line in text.strip().split("\n") if line.strip()]
    quoted = [line for line in lines if line.startswith(">")]
    if quoted:
        rest = re.sub(r"[.!?…]", " ", " ".join(lines[len(quoted) :])).split()
        is_asking = [word for word in rest if word != "please"] in (["elaborate"], ["continue"])
        return "quoted" if lines[: len(quoted)] == quoted and is_asking else None
    words = re.split(r"[\s,.!]+", text.strip().rstrip(" \n\t.!?…,;:"))
    assent = {"yes", "ok", "okay", "please"}
    leading = next((at for at, word in enumerate(words) if word not in assent), len(words))
    rest = words[leading:]
    asks_nicely = rest[-1:] == ["please"]
    command = COMMANDS.get(" ".join(rest[:-1] if asks_nicely else rest))
    if command and not leading and not asks_nicely:
        return command
    return "assent" if command or (leading and not rest) else None


def sha256(text: str | None) -> str | None:
    return hashlib.sha256(text.encode()).hexdigest() if text else None


def normalized(text: str, normalization: str) -> str:
    """Seed 000's function; ``full`` with punctuation removed first (decision)."""
    if normalization == "lowercase":
        return text.lower()
    if normalization == "whitespace":
        return re.sub(r"\s+", " ", text).strip()
    if normalization == "full":
        return re.sub(r"\s+", " ", re.sub(r"[^\w\s]", "", text.lower())).strip()
    return text


def seed_simhash(text: str) -> str:
    """Version 1: seed 000's ``_compute_simhash``, as it stands there."""
    tokens = text.lower().split()
    v = [0] * 64
    for token in tokens:
        token_hash = int(hashlib.md5(token.encode(), usedforsecurity=False).hexdigest(), 16)
        for i in range(64):
            bit = (token_hash >> i) & 1
            v[i] += 1 if bit else -1
    fingerprint = 0
    for i in range(64):
        if v[i] > 0:
            fingerprint |= 1 << i
    return format(fingerprint, "016x")


_MASK = 2**64 - 1


def _mix(value: int) -> int:
    """The finaliser of splitmix64, its increment included."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def _rotl(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (64 - bits))) & _MASK


def _words(text: str) -> list[bytes]:
    """Between spaces; a character of three bytes from 0xE3 to 0xED is a word of its own."""
    words: list[bytes] = []
    for piece in normalized(text, "full").split(" "):
        current = b""
        for character in piece:
            encoded = character.encode()
            if 0xE3 <= encoded[0] <= 0xED:
                words += [current, encoded]
                current = b""
            else:
                current += encoded
        words.append(current)
    return [word for word in words if word]


def _word_hash(word: bytes) -> int:
    value = len(word)
    for start in range(0, len(word), 8):
        value = _mix(value ^ int.from_bytes(word[start : start + 8], "little"))
    return value


def shingled_simhash(text: str) -> str | None:
    """Version 2, after the description in the module's docstring."""
    hashes = [_word_hash(word) for word in _words(text)]
    if not hashes:
        return None
    if len(hashes) < 3:
        hashes += [0] * (3 - len(hashes))
    shingles = [
        _mix((hashes[at] + 3 * _rotl(hashes[at + 1], 21) + 5 * _rotl(hashes[at + 2], 42)) & _MASK)
        for at in range(len(hashes) - 2)
    ]
    bits = [bit for bit in range(64) if 2 * sum((shingle >> bit) & 1 for shingle in shingles) > len(shingles)]
    return format(sum(1 << bit for bit in bits), "016x")


def pair_hash(question: str, answer: str) -> str:
    """SHA-256 of the compact JSON array of both."""
    return hashlib.sha256(
        json.dumps([question, answer], separators=(",", ":"), ensure_ascii=False).encode()
    ).hexdigest()
