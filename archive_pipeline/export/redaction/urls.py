"""Passwords and tokens in URLs, before the name of the host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

_NONE_OF: Final = r"\s\"'`<>,;()"
# A password that nobody has encoded may have an "@", and a "/" if what stands before that is no host with a port. With
# both it ends before a host with a port, as any "@" in a path would end one.
_NO_PORT: Final = r"(?!\d{1,5}[/?#])"
_PASSWORD: Final = re.compile(
    rf"://[^\s/:@]{{0,128}}:({_NO_PORT}[^{_NONE_OF}]{{1,128}}(?=@[\w.-]{{1,128}}:\d)"
    rf"|[^\s/@]{{1,128}}(?:@[^{_NONE_OF}/@]{{1,128}}){{0,8}}(?=@)"
    rf"|{_NO_PORT}[^{_NONE_OF}@]{{1,128}}(?=@[\w.-]{{1,128}}[:/]))"
)
# A token may stand where the user does. The names of users seldom have digits, and are private with them.
_TOKEN: Final = re.compile(
    rf"://(?:(?<=http://)|(?<=https://))(?=[^{_NONE_OF}@/:\d]{{0,256}}\d)([^{_NONE_OF}@/:]{{8,256}})(?=@)"
)


def secrets_of_urls(text: str) -> Iterator[tuple[int, int]]:
    """Yield where they stand."""
    if "://" in text:
        yield from (match.span(1) for match in chain(_PASSWORD.finditer(text), _TOKEN.finditer(text)))
