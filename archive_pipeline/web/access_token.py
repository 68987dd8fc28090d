"""A secret that a browser shows once in an address and from then on in a cookie, and programs in a header.

It lies in a file of the archive's home that only its user can read, and outlives restarts, so that open pages go on.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import MutableMapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode

from archive_pipeline.domain.setting_values import is_access_token
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings.kept_secrets import keep_secret

PARAMETER: Final = "token"
_BYTES: Final = 32


class AccessToken:
    """A token, for one port: cookies do not tell ports apart."""

    def __init__(self, value: str, *, port: int) -> None:
        self._value = value
        self._cookie = f"llm_archive_{port}"

    def __repr__(self) -> str:
        return "AccessToken(...)"

    def address(self, url: str) -> str:
        """Return the address of the first page with the token in it."""
        return f"{url}/?{urlencode({PARAMETER: self._value})}"

    def is_shown(self, scope: MutableMapping[str, Any]) -> bool:
        """Tell whether a request has the token: in its address, a cookie, or as a bearer's."""
        cookie = self._of_cookie(scope)
        header = _header(scope, b"authorization")
        bearer = header[len("Bearer ") :] if header.startswith("Bearer ") else ""
        return any(map(self._is_equal, (cookie, bearer))) or self.is_shown_in_query(scope)

    def is_shown_in_query(self, scope: MutableMapping[str, Any]) -> bool:
        """Tell whether a page is asked for with the token in its address."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        return any(name == PARAMETER and self._is_equal(value) for name, value in _query(scope))

    def location(self, scope: MutableMapping[str, Any]) -> str:
        """Return the same page's address without the token."""
        rest = urlencode([(name, value) for name, value in _query(scope) if name != PARAMETER])
        # One slash: two would begin the address of another host.
        return "/" + quote(scope["path"].lstrip("/\\")) + (f"?{rest}" if rest else "")

    def cookie(self, scope: MutableMapping[str, Any]) -> str:
        """Return the header that has the browser keep the token; scripts cannot read it, other sites not send it."""
        secure = "; Secure" if scope.get("scheme") == "https" else ""
        return f"{self._cookie}={self._value}; Path=/; HttpOnly; SameSite=Strict{secure}"

    def _of_cookie(self, scope: MutableMapping[str, Any]) -> str:
        try:
            morsel = SimpleCookie(_header(scope, b"cookie")).get(self._cookie)
        except CookieError:
            return ""
        return "" if morsel is None else morsel.value

    def _is_equal(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), self._value.encode())


def load_token(home: Path, *, port: int, service: str = "up") -> AccessToken:
    """Return the home's token for a service, made on first use.

    Raises:
        ConfigurationError: its file cannot be written, is too short, or can be read by others.
    """
    path = home / f"{service}.token"
    try:
        keep_secret(path, f"{secrets.token_urlsafe(_BYTES)}\n".encode())
        with path.open(encoding="ascii") as file:
            others = os.fstat(file.fileno()).st_mode & 0o077
            value = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be used ({error}); delete it to get a new one") from error
    if others or not is_access_token(value):
        why = "can be read by others" if others else "holds no token"
        raise ConfigurationError(f"{path} {why}; delete it to get a new one")
    return AccessToken(value, port=port)


def page_address(host: str, port: int) -> str:
    """Return the address of the UI's first page."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _query(scope: MutableMapping[str, Any]) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _header(scope: MutableMapping[str, Any], wanted: bytes) -> str:
    return "; ".join(value.decode("latin-1") for name, value in scope["headers"] if name.lower() == wanted)
