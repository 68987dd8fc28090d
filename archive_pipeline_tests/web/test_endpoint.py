"""What requests to endpoints of models have in common; what is sent is tested with those who send it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from archive_pipeline.errors import EmbeddingError
from archive_pipeline.web.endpoint import Endpoint, PassingError, bearer, retry_after, split_address

ENDPOINT = Endpoint("http://host/v1/x", "ARCHIVE_SOME_KEY", EmbeddingError)


def test_retry_after_is_a_number_or_a_date():
    now = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after("3", now) == 3
    assert retry_after("Thu, 01 Jan 2026 12:00:30 GMT", now) == 30
    assert retry_after("Thu, 01 Jan 2026 11:00:00 GMT", now) == 0
    assert retry_after("soon", now) is None
    assert retry_after("²", now) is None
    assert retry_after("Mon, 01 Jan 9999999999999999999 00:00:00 GMT", now) is None
    assert retry_after(None, now) is None


@pytest.mark.parametrize("status", [200, 201, 299])
def test_success_is_no_error(status: int):
    ENDPOINT.check(status, {}, "")


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 503, 529])
def test_what_may_pass_says_when(status: int):
    with pytest.raises(PassingError, match=f"HTTP {status}: a b") as raised:
        ENDPOINT.check(status, {"Retry-After": "3"}, "a\n b")
    assert raised.value.retry_after == 3


@pytest.mark.parametrize(
    ("status", "said"), [(400, "HTTP 400: no"), (302, "HTTP 302"), (401, "refused the key"), (403, "ARCHIVE_SOME_KEY")]
)
def test_what_is_refused_is_an_error_of_the_asker(status: int, said: str):
    with pytest.raises(EmbeddingError, match=said):
        ENDPOINT.check(status, {}, "no")


def test_an_address_that_may_hold_a_key_is_none():
    assert split_address("https://host:8000/v1#m") is not None
    for address in ("https://user:pass@host/v1", "https://host/v1?key=abc", "http:///v1", "https://[host/v1"):
        assert split_address(address) is None


def test_a_key_is_sent_as_a_bearers():
    assert (bearer("k"), bearer(None), bearer("")) == ({"Authorization": "Bearer k"}, {}, {})
