"""Messages in short."""

from __future__ import annotations


def system(text):
    return {"role": "system", "content": text}


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def turns(*texts):
    """User and assistant in turns."""
    return [user(text) if index % 2 == 0 else assistant(text) for index, text in enumerate(texts)]
