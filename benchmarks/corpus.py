"""A ChatGPT-format export of any size, generated from a seed: the input of the benchmarks.

Dialogues branch where real ones do (regenerated answers, edited prompts), call tools, and carry hidden messages and
continuations. They are written one at a time, so memory does not grow with the file. Run it with
``python -m benchmarks.corpus --dialogues 5000 --seed 7 --out conversations.json``.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import BinaryIO, Final

from benchmarks.corpus_text import TextSource

REGENERATION_RATE: Final = 0.08
EDIT_RATE: Final = 0.04
TOOL_RATE: Final = 0.08
CONTINUATION_RATE: Final = 0.03
THIRD_ANSWER_RATE: Final = 0.2
FOLLOW_FIRST_RATE: Final = 0.1
ABANDONED_TURN_RATE: Final = 0.2
CONTEXT_RATE: Final = 0.5
TURNS_SIGMA: Final = 0.7
CONTINUATIONS: Final = ("continue", "Continue", "continue.", "go on", "go on.", "keep going", "more", "Go on, please")
MODELS: Final = ("gpt-4", "gpt-4o", "gpt-4o-mini", "gpt-5")
EPOCH: Final = 1_680_000_000.0
STEP: Final = 20_000.0
WRITE_BYTES: Final = 4 << 20

_ANSWER_MESSAGES: Final = (1 + 2 * TOOL_RATE) * (1 + REGENERATION_RATE * (1 + THIRD_ANSWER_RATE))
MESSAGES_PER_TURN: Final = (1 + _ANSWER_MESSAGES) * (1 + EDIT_RATE * (1 + ABANDONED_TURN_RATE))


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """What a written corpus holds.

    Attributes:
        dialogues: conversations in the file.
        messages: nodes that carry a message, over all conversations.
        bytes: size of the file.
    """

    dialogues: int
    messages: int
    bytes: int


class _Dialogue:
    """One conversation under construction: nodes in the order they were written, children known at the end."""

    def __init__(self, rng: random.Random, texts: TextSource, start: float) -> None:
        self._rng = rng
        self._texts = texts
        self._start = start
        self.clock = start
        self._model = rng.choice(MODELS)
        self.root = self._new_id()
        self._nodes: list[tuple[str, str, str]] = []
        self._children: dict[str, list[str]] = {self.root: []}

    @property
    def message_count(self) -> int:
        return len(self._nodes)

    def system(self, parent: str) -> str:
        """Append the hidden, empty system message that opens a conversation."""
        return self._append(
            parent,
            role="system",
            content='{"content_type":"text","parts":[""]}',
            metadata='{"is_visually_hidden_from_conversation":true}',
            timed=False,
            weight="0.0",
        )

    def context(self, parent: str) -> str:
        """Append the hidden message with the user's standing instructions."""
        return self._append(
            parent,
            role="user",
            content='{"content_type":"user_editable_context","user_profile":"I work in a small office.",'
            '"user_instructions":"Keep answers short."}',
            metadata='{"is_visually_hidden_from_conversation":true,"is_user_system_message":true}',
            timed=False,
        )

    def prompt(self, parent: str, text: str) -> str:
        """Append a user message."""
        return self._append(
            parent,
            role="user",
            content=f'{{"content_type":"text","parts":["{text}"]}}',
            metadata='{"timestamp_":"absolute","message_type":null}',
        )

    def answer(self, parent: str) -> str:
        """Append an answer, in some cases after a call of Python and its output; return its last message."""
        if self._rng.random() < TOOL_RATE:
            parent = self._tool_call(parent)
        return self._append(
            parent,
            role="assistant",
            content=f'{{"content_type":"text","parts":["{self._texts.answer()}"]}}',
            metadata=self._assistant_metadata(parent),
            end_turn="true",
        )

    def write(self, file: BinaryIO, *, current: str) -> None:
        """Write the conversation as one object of the export's array."""
        rng = self._rng
        identifier = self._new_id()
        title = f'"{self._texts.title()}"' if rng.random() > 0.01 else "null"
        root = self.root
        nodes = [f'"{root}":{{"id":"{root}","message":null,"parent":null,"children":{self._children_of(root)}}}']
        nodes += [
            f'"{node}":{{"id":"{node}","message":{message},"parent":"{parent}","children":{self._children_of(node)}}}'
            for node, parent, message in self._nodes
        ]
        head = f'{{"title":{title},"create_time":{self._start:.6f},"update_time":{self.clock:.6f},"mapping":{{'
        tail = (
            f'}},"moderation_results":[],"current_node":"{current}","plugin_ids":null,"conversation_id":"{identifier}",'
            f'"conversation_template_id":null,"gizmo_id":null,"is_archived":false,"safe_urls":[],'
            f'"default_model_slug":"{self._model}","voice":null,"id":"{identifier}"}}'
        )
        file.write("".join((head, ",".join(nodes), tail)).encode("ascii"))

    def _tool_call(self, parent: str) -> str:
        call = self._append(
            parent,
            role="assistant",
            content=f'{{"content_type":"code","language":"python","response_format_name":null,'
            f'"text":"{self._texts.code()}"}}',
            metadata=self._assistant_metadata(parent),
            recipient="python",
            end_turn="false",
        )
        output = " ".join(f"{self._rng.random():.4f}" for _ in range(1 + int(self._rng.random() * 30)))
        return self._append(
            call,
            role="tool",
            name='"python"',
            content=f'{{"content_type":"execution_output","text":"{output}"}}',
            metadata=f'{{"aggregate_result":{{"status":"success","code":"","final_expression_output":null,'
            f'"in_kernel_exception":null,"messages":[],"jupyter_messages":[]}},"model_slug":"{self._model}"}}',
        )

    def _append(
        self,
        parent: str,
        *,
        role: str,
        content: str,
        metadata: str,
        name: str = "null",
        recipient: str = "all",
        end_turn: str = "null",
        weight: str = "1.0",
        timed: bool = True,
    ) -> str:
        node = self._new_id()
        self.clock += self._rng.expovariate(1 / 45)
        created = f"{self.clock:.6f}" if timed else "null"
        message = (
            f'{{"id":"{node}","author":{{"role":"{role}","name":{name},"metadata":{{}}}},"create_time":{created},'
            f'"update_time":null,"content":{content},"status":"finished_successfully","end_turn":{end_turn},'
            f'"weight":{weight},"metadata":{metadata},"recipient":"{recipient}","channel":null}}'
        )
        self._nodes.append((node, parent, message))
        self._children[parent].append(node)
        self._children[node] = []
        return node

    def _assistant_metadata(self, parent: str) -> str:
        return (
            f'{{"finish_details":{{"type":"stop"}},"is_complete":true,"message_type":null,'
            f'"model_slug":"{self._model}","parent_id":"{parent}","timestamp_":"absolute"}}'
        )

    def _children_of(self, node: str) -> str:
        children = self._children[node]
        return '["' + '","'.join(children) + '"]' if children else "[]"

    def _new_id(self) -> str:
        digits = f"{self._rng.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def _turn(dialogue: _Dialogue, rng: random.Random, texts: TextSource, parent: str, *, first: bool) -> str:
    """Append a prompt and its answer with their abandoned versions; return the message to go on from."""
    if rng.random() < EDIT_RATE:
        abandoned = dialogue.answer(dialogue.prompt(parent, texts.prompt()))
        if rng.random() < ABANDONED_TURN_RATE:
            dialogue.answer(dialogue.prompt(abandoned, texts.prompt()))
    going_on = not first and rng.random() < CONTINUATION_RATE
    prompt = dialogue.prompt(parent, rng.choice(CONTINUATIONS) if going_on else texts.prompt())
    answers = [dialogue.answer(prompt)]
    if rng.random() < REGENERATION_RATE:
        answers.append(dialogue.answer(prompt))
        if rng.random() < THIRD_ANSWER_RATE:
            answers.append(dialogue.answer(prompt))
    return answers[0] if rng.random() < FOLLOW_FIRST_RATE else answers[-1]


def _write_dialogue(
    file: BinaryIO, rng: random.Random, texts: TextSource, *, start: float, mean_messages: float
) -> int:
    """Write one dialogue of log-normally many turns; return its number of messages."""
    dialogue = _Dialogue(rng, texts, start)
    parent = dialogue.system(dialogue.root)
    if rng.random() < CONTEXT_RATE:
        parent = dialogue.context(parent)
    mean_turns = max(1.0, (mean_messages - 1 - CONTEXT_RATE) / MESSAGES_PER_TURN)
    turns = max(1, round(rng.lognormvariate(log(mean_turns) - TURNS_SIGMA**2 / 2, TURNS_SIGMA)))
    for number in range(turns):
        parent = _turn(dialogue, rng, texts, parent, first=number == 0)
    dialogue.write(file, current=parent)
    return dialogue.message_count


def write_corpus(path: Path | str, *, dialogues: int, seed: int, mean_messages: float = 20) -> CorpusCounts:
    """Write an export of that many dialogues to ``path``; equal arguments give equal bytes.

    Args:
        path: the file to write, replaced if it is there.
        dialogues: how many conversations.
        seed: decides everything random.
        mean_messages: mean number of messages a conversation, hidden ones and abandoned branches included.

    Returns:
        What was written.
    """
    rng = random.Random(seed)
    texts = TextSource(rng)
    messages = 0
    with Path(path).open("wb", buffering=WRITE_BYTES) as file:
        file.write(b"[")
        for number in range(dialogues):
            if number:
                file.write(b",\n")
            start = EPOCH + number * STEP
            messages += _write_dialogue(file, rng, texts, start=start, mean_messages=mean_messages)
        file.write(b"]\n")
        size = file.tell()
    return CorpusCounts(dialogues=dialogues, messages=messages, bytes=size)


def main(arguments: list[str] | None = None) -> None:
    """Write a corpus as the command line says and print its counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus", description="Write a ChatGPT-format export.")
    parser.add_argument("--dialogues", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--mean-messages", type=float, default=20)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    counts = write_corpus(
        options.out, dialogues=options.dialogues, seed=options.seed, mean_messages=options.mean_messages
    )
    seconds = time.perf_counter() - started
    print(
        f"{counts.dialogues:,} dialogues, {counts.messages:,} messages, {counts.bytes:,} bytes"
        f" in {seconds:.1f} s ({counts.bytes / 1e6 / seconds:.0f} MB/s)"
    )


if __name__ == "__main__":
    main()
