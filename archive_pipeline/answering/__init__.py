"""Answers from the archive: a context for the question, a model that reads it, citations checked (seed 002).

``ask`` does all of it. The model is behind an OpenAI-compatible endpoint, or one of the package ``llm``; nothing is
sent anywhere else. What is sent is in ``prompt``, and docs/ask.md has it for users.
"""

from archive_pipeline.answering.answer import Answer
from archive_pipeline.answering.asking import ask
from archive_pipeline.answering.models import AnswerModel, has_model, open_model
from archive_pipeline.answering.prompt import Prompt

__all__ = ["Answer", "AnswerModel", "Prompt", "ask", "has_model", "open_model"]
