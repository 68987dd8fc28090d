"""Conversations of one message, of each source: what a reader is asked to read with one value changed."""

from __future__ import annotations

from archive_pipeline_tests.readers.alone import agents, chats, data_sets

CASES = (*chats.CASES, *agents.CASES, *data_sets.CASES)
