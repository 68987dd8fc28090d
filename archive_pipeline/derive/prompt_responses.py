"""``prompt_responses`` and their content: which user message each assistant message answers (seed 001)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from archive_pipeline.derive.asset import MESSAGE, TEXT, DerivedAsset
from archive_pipeline.derive.forest import forest_of
from archive_pipeline.derive.limits import check_characters
from archive_pipeline.derive.message_texts import word_counts
from archive_pipeline.domain.batch import ROOT, DialogueBatch
from archive_pipeline.domain.frames import frame
from archive_pipeline.domain.identity import row_id

if TYPE_CHECKING:
    import pandas as pd

CODE_VERSION: Final = "1"


def prompt_responses(batch: DialogueBatch) -> dict[str, pd.DataFrame]:
    """Return the pairs and their texts, one row per assistant message that has a prompt.

    Raises:
        TextsTooLargeError: the pairs of a dialogue would repeat too much text.
    """
    prompts, responses, rules = _pairs(batch)
    characters = [0 if text is None else len(text) for text in batch.text]
    check_characters(
        batch,
        "prompt_response_content",
        (
            (batch.dialogue[response], characters[prompt] + characters[response])
            for prompt, response in zip(prompts, responses, strict=True)
        ),
    )
    ids = batch.message_ids
    pair_ids = [row_id("prompt_response", ids[response]) for response in responses]
    first = _first_positions(batch)
    starts = [first[batch.dialogue[response]] for response in responses]
    dialogues = [batch.dialogue_of_message[response] for response in responses]
    pairs = frame(
        {
            "id": pair_ids,
            "dialogue_id": dialogues,
            "prompt_message_id": [ids[prompt] for prompt in prompts],
            "response_message_id": [ids[response] for response in responses],
            "prompt_position": [prompt - start for prompt, start in zip(prompts, starts, strict=True)],
            "response_position": [response - start for response, start in zip(responses, starts, strict=True)],
            "prompt_role": [batch.role[prompt] for prompt in prompts],
            "response_role": [batch.role[response] for response in responses],
            "pairing_rule": rules,
        }
    )
    counts = word_counts(batch)
    content = frame(
        {
            "prompt_response_id": pair_ids,
            "dialogue_id": dialogues,
            "prompt_text": [batch.text[prompt] for prompt in prompts],
            "response_text": [batch.text[response] for response in responses],
            "prompt_word_count": [counts[prompt] for prompt in prompts],
            "response_word_count": [counts[response] for response in responses],
        }
    )
    return {"prompt_responses": pairs, "prompt_response_content": content}


def _pairs(batch: DialogueBatch) -> tuple[list[int], list[int], list[str]]:
    prompts: list[int] = []
    responses: list[int] = []
    rules: list[str] = []
    nearest = _nearest_users(batch)
    current, last_user = -1, ROOT
    for position, role in enumerate(batch.role):
        if batch.dialogue[position] != current:
            current, last_user = batch.dialogue[position], ROOT
        if role == "user":
            last_user = position
        elif role == "assistant":
            prompt, rule = nearest[position], "ancestor"
            if prompt == ROOT:
                prompt, rule = last_user, "fallback"
            elif prompt == batch.parent[position]:
                rule = "parent"
            if prompt != ROOT:
                prompts.append(prompt)
                responses.append(position)
                rules.append(rule)
    return prompts, responses, rules


def _nearest_users(batch: DialogueBatch) -> list[int]:
    """Per message, the nearest user message among its ancestors and itself, ``ROOT`` if there is none."""
    nearest = [ROOT] * len(batch)
    for position in forest_of(batch).order:
        if batch.role[position] == "user":
            nearest[position] = position
        elif batch.parent[position] != ROOT:
            nearest[position] = nearest[batch.parent[position]]
    return nearest


def _first_positions(batch: DialogueBatch) -> dict[int, int]:
    first: dict[int, int] = {}
    for position, index in enumerate(batch.dialogue):
        first.setdefault(index, position)
    return first


ASSET: Final = DerivedAsset(
    name="prompt_responses",
    of=DialogueBatch,
    tables=("prompt_responses", "prompt_response_content"),
    derive=lambda batch, _: prompt_responses(batch),
    code_version=CODE_VERSION,
    description="Texts and word counts are in derived.prompt_response_content.",
    reads=("messages", "content_parts"),
    lineage={
        "prompt_message_id": ("raw/messages.parent_id",),
        "response_message_id": MESSAGE,
        "prompt_response_content.prompt_text": TEXT,
        "prompt_response_content.response_text": TEXT,
    },
)
