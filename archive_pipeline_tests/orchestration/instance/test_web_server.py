"""Who is asked whose process a client is: all, unless the server goes by a name of another machine or a proxy."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

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
