"""Dagster's web server: whose process a client has to be, and addresses that it fails at."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from archive_pipeline.web.access_token import AccessToken
from archive_pipeline.web.peers import is_own_peer

TOKEN = AccessToken("t" * 32, port=3000)


@pytest.mark.parametrize("token", [None, TOKEN])
@pytest.mark.parametrize("names", [["127.0.0.1", "127.0.0.1"], ["::1", "[::1]"], ["localhost"], ["127.0.0.9"]])
def test_clients_of_a_loopback_address_are_asked_for_also_with_a_token(token: AccessToken | None, names: Sequence[str]):
    # Here and below: half a second, which the other workers need not pay.
    from archive_pipeline.orchestration.instance.web_server import peer_check

    assert peer_check(token, names) is is_own_peer


@pytest.mark.parametrize("names", [["127.0.0.1", "archive.example"], ["0.0.0.0", "192.0.2.7"], ["192.0.2.7"]])  # noqa: S104
def test_where_others_may_be_clients_the_token_decides(names: Sequence[str]):
    from archive_pipeline.orchestration.instance.web_server import peer_check

    assert peer_check(TOKEN, names)({"client": None, "server": None})
    assert peer_check(None, names) is is_own_peer


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/logs/1f0c/compute_logs/build/err", 200),
        ("/logs/a/b", 200),
        ("/logs", 200),
        ("/logs-of-mine/x", 200),
        ("/runs/logs/x", 200),
        ("/logs/", 404),
        ("/logs/x", 404),
        ("/logs//x", 404),
        ("/logs/a/", 404),
        ("/logs/a/%2e%2e/%2e%2e/b", 404),
        ("/logs/a%00/b", 404),
    ],
)
def test_an_address_below_those_of_logs_that_is_of_none_is_not_found(path: str, status: int):
    from archive_pipeline.orchestration.instance.web_server import without_other_logs

    client = TestClient(without_other_logs(PlainTextResponse("Dagster")), base_url="http://127.0.0.1")
    assert client.get(path).status_code == status
