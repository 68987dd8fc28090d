"""The page for a browser that has no token: links from elsewhere lead there.

A browser sends the cookie with a request of a page of the same site only. So the page leads on to where the link went,
and takes a token, which the address of the command has. It repeats what was asked for, as text.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from html import escape
from typing import Any, Final
from urllib.parse import parse_qsl

from archive_pipeline.web.access_token import PARAMETER

_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>A token is needed</title></head>
<body>
<h1>A token is needed</h1>
<p><code>{program}</code> prints an address with a token in it. A browser that opened that address once may go on:
<a href="{location}">open the page</a>.</p>
<form method="get" action="{path}">
{fields}<label>Token <input name="{parameter}" type="password" autocomplete="off" required></label>
<button>Open the page</button>
</form>
</body>
</html>
"""


def wants_page(scope: MutableMapping[str, Any]) -> bool:
    """Tell whether a request is one of a browser for a page."""
    accepted = [value for name, value in scope["headers"] if name.lower() == b"accept"]
    return scope["type"] == "http" and scope["method"] == "GET" and any(b"text/html" in value for value in accepted)


def token_page(location: str, program: str) -> bytes:
    """Return the page in UTF-8.

    Args:
        location: path and query of what was asked for, without a token.
        program: command that prints the address with the token.
    """
    path, _, query = location.partition("?")
    fields = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">\n'
        for name, value in parse_qsl(query, keep_blank_values=True)
    )
    names = {"program": program, "location": location, "path": path, "parameter": PARAMETER}
    return _PAGE.format(fields=fields, **{name: escape(value) for name, value in names.items()}).encode()
