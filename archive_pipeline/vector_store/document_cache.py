"""Texts of documents that were read lately, up to a number of characters; several threads may use it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

MOST_CHARACTERS: Final = 20_000_000


class DocumentCache:
    """Keeps the documents that were asked for last."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def get(self, doc_id: str) -> str | None:
        """Return the text of a document, None if it is not kept."""
        with self._lock:
            text = self._texts.get(doc_id)
            if text is not None:
                self._texts.move_to_end(doc_id)
            return text

    def put(self, doc_id: str, text: str) -> None:
        """Keep a text unless it alone is too much, and forget those that were not asked for longest."""
        if len(text) > self._most:
            return
        with self._lock:
            self._characters += len(text) - len(self._texts.pop(doc_id, ""))
            self._texts[doc_id] = text
            while self._characters > self._most:
                self._characters -= len(self._texts.popitem(last=False)[1])
