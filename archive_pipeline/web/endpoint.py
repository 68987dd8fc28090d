"""Requests to an HTTP endpoint of a model, for embeddings and for answers: keys, refusals, and when to try again.

What may pass (no connection, 408, 409, 425, 429, 5xx) is tried again, after the time the server asks for or longer and
longer ones, up to the longest wait of the policy; a server that asks for more than that is not asked again. How a
request is sent is the caller's matter. Redirects are not followed: texts go to the configured server and to no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import tenacity

from archive_pipeline.errors import ArchiveError, ConfigurationError

_PASSING: Final = frozenset({408, 409, 425, 429})
_SERVER_ERROR: Final = 500
_REFUSED: Final = frozenset({401, 403})
_SUCCESS: Final = range(200, 300)
_SHOWN: Final = 200


class PassingError(ArchiveError):
    """A request that may be answered later, after ``retry_after`` seconds if the server says when."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long an answer is tried for.

    Attributes:
        attempts: most requests.
        wait: most seconds between two of them. A server that asks for more ends the attempts.
        timeout: most seconds for one.
    """

    attempts: int
    wait: float
    timeout: float

    def options(self) -> dict[str, Any]:
        """Return the arguments of tenacity's ``Retrying`` and ``AsyncRetrying``."""
        return {
            "stop": self._is_over,
            "wait": self._wait_for,
            "retry": tenacity.retry_if_exception_type(PassingError),
        }

    def too_long(self, attempt: tenacity.Future | None) -> float | None:
        """Return the seconds that the server asked to wait, if they are more than the longest wait."""
        asked = _asked_for(attempt)
        return asked if asked is not None and asked > self.wait else None

    def _is_over(self, state: tenacity.RetryCallState) -> bool:
        return state.attempt_number >= self.attempts or self.too_long(state.outcome) is not None

    def _wait_for(self, state: tenacity.RetryCallState) -> float:
        """Return the seconds to the next attempt: what the server asked for, else longer and longer ones."""
        asked = _asked_for(state.outcome)
        if asked is None:
            # Spread, so that several clients do not come back together.
            asked = tenacity.wait_exponential(0.5)(state) + tenacity.wait_random(0, 1)(state)
        return min(asked, self.wait)


def _asked_for(attempt: tenacity.Future | None) -> float | None:
    error = attempt.exception() if attempt is not None else None
    return error.retry_after if isinstance(error, PassingError) else None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that requests go to.

    Attributes:
        url: of the requests; it is shown, and so holds no key.
        key_variable: the variable of the environment that has the key.
        error: the class of errors that a user sees.
        api_key: that is never shown, whoever repeats it.
    """

    url: str
    key_variable: str
    error: type[ArchiveError]
    api_key: str | None = field(default=None, repr=False)

    def hidden(self, text: str) -> str:
        """Return a text without the key, which servers and proxies put into what they answer."""
        return text.replace(self.api_key, "***") if self.api_key else text

    def shown(self, text: str) -> str:
        """Return the beginning of what a server said, on one line; the key is hidden first, not cut to a part of it."""
        return " ".join(self.hidden(text).split())[:_SHOWN]

    def check(self, status: int, headers: Mapping[str, str], said: str) -> None:
        """Raise an error if a request was not answered well.

        Args:
            status: of HTTP.
            headers: of the answer.
            said: its text, of which the message has the beginning.

        Raises:
            PassingError: it may be answered later.
            ArchiveError: ``error``: it is refused.
        """
        if status in _SUCCESS:
            return
        if status in _PASSING or status >= _SERVER_ERROR:
            raise PassingError(self._reason(status, said), retry_after(headers.get("Retry-After"), datetime.now(UTC)))
        raise self.error(self._reason(status, said))

    def unanswered(self, policy: RetryPolicy, error: tenacity.RetryError) -> ArchiveError:
        """Return the error to raise after the last attempt."""
        reason = self.hidden(str(error.last_attempt.exception()))
        seconds = policy.too_long(error.last_attempt)
        if seconds is not None:
            return self.error(
                f"{self.url} takes no requests for {seconds:,.0f} seconds ({reason}); try again after that"
            )
        return self.error(f"{self.url} did not answer after {policy.attempts} attempts ({reason}); try again later")

    def unusable(self, error: Exception) -> ConfigurationError:
        """Return the error for proxies, certificates, an address or a name of which no request can be made."""
        return ConfigurationError(self.hidden(f"{self.url} cannot be asked ({type(error).__name__}: {error})"))

    def _reason(self, status: int, said: str) -> str:
        if status in _REFUSED:
            return f"{self.url} refused the key (HTTP {status}); set {self.key_variable}"
        return f"{self.url} answered HTTP {status}: {self.shown(said)}"


def bearer(api_key: str | None) -> dict[str, str]:
    """Return the headers that show a key; none without one."""
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def split_address(address: str) -> SplitResult | None:
    """Return the parts of an endpoint's address; None if it has no host, or may hold a key."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # which is looked at when it is asked for
    except ValueError:
        return None
    return None if not parts.hostname or parts.username or parts.password or parts.query else parts


def retry_after(header: str | None, now: datetime) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks to wait, as a number or a date; None if it says nothing."""
    if header is None:
        return None
    if header.isascii() and header.strip().isdigit():
        return float(header)
    try:
        return max((parsedate_to_datetime(header) - now).total_seconds(), 0.0)
    except (TypeError, ValueError, OverflowError):
        return None
