"""Passwords and tokens in URLs, before the name of the host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

_OTHER: Final = r"\s@\"'`<>,;()"
# A password that nobody has encoded may have an "@", and a "/" if what stands before that is no host with a port.
_PASSWORD: Final = re.compile(
    rf"://[^\s/:@]{{0,128}}:([^\s/@]{{1,128}}(?:@[^{_OTHER}/]{{1,128}}){{0,2}}(?=@)"
    rf"|(?!\d{{1,5}}[/?#])[^{_OTHER}]{{1,128}}(?=@[\w.-]{{1,128}}[:/]))"
)
# A token may stand where the user does. The names of users seldom have digits, and are private with them.
_TOKEN: Final = re.compile(
    rf"://(?:(?<=http://)|(?<=https://))(?=[^{_OTHER}/:\d]{{0,256}}\d)([^{_OTHER}/:]{{8,256}})(?=@)"
)


def secrets_of_urls(text: str) -> Iterator[tuple[int, int]]:
    """Yield where they stand."""
    if "://" in text:
        yield from (match.span(1) for match in chain(_PASSWORD.finditer(text), _TOKEN.finditer(text)))
