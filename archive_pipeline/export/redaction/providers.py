"""Keys of providers that detect-secrets does not know, by the prefixes that their makers document.

The providers are those of gitleaks' rules (version 8) whose keys no other rule finds and whose shape alone tells what
they are. gitleaks also takes for keys what stands behind a provider's name; the shape of such a value says nothing.
"""

from __future__ import annotations

import re
from typing import Final

from archive_pipeline.export.redaction.scripts import starts_after
from archive_pipeline.export.redaction.shapes import ShapedRule

# A key begins where a word does; some have marks of words within them.
_START: Final = starts_after("A-Za-z0-9_+/-")
_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def _keys(shortest: int, pattern: str, *needles: str, flags: re.RegexFlag = re.NOFLAG) -> ShapedRule:
    """Return the rule for keys of ``shortest`` characters or more, in which one of the needles stands."""
    return ShapedRule(re.compile(_START + pattern, flags | re.ASCII), shortest, needles)


_RULES: Final = (
    # Passwords and secrets: 1Password, Doppler, Vault's neighbours of HashiCorp (Terraform), Infracost, Pulumi.
    _keys(39, r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![A-Z0-9-])", "A3-"),
    _keys(107, r"ops_eyJ[\w+/=-]{100,}", "ops_eyJ"),
    _keys(46, r"dp\.(?:ct|pt|sa|scim|audit|st(?:\.[\w-]{1,64})?)\.[A-Za-z0-9]{40,}", "dp."),
    _keys(83, r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}", ".atlasv1."),
    _keys(36, r"ico-[A-Za-z0-9]{32}(?![\w-])", "ico-"),
    _keys(44, r"pul-[0-9a-f]{40}", "pul-"),
    # Clouds and what runs there: Azure, Cloudflare, ClickHouse, Databricks, Fly.io, Heroku, OpenShift, PlanetScale,
    # Prefect, Scalingo, Yandex.
    _keys(37, r"[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])", "Q~"),
    _keys(176, r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}", "v1.0-"),
    _keys(42, r"4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])", "4b1d"),
    _keys(36, r"dapi[0-9a-f]{32}(?:-\d)?(?![\w-])", "dapi"),
    _keys(47, r"fo1_[\w-]{43}", "fo1_"),
    _keys(104, r"fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3}", "fm1", "fm2_"),
    _keys(65, r"HRKU-AA[\w-]{58}", "HRKU-AA"),
    _keys(50, r"sha256~[\w-]{43}(?![\w-])", "sha256~"),
    _keys(42, r"pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}", "pscale_"),
    _keys(40, r"pnu_[A-Za-z0-9]{36}", "pnu_"),
    _keys(54, r"tk-us-[\w-]{48}", "tk-us-"),
    _keys(39, r"AQVN[\w-]{35,38}(?![\w-])", "AQVN"),
    _keys(91, r"t1\.[\w-]+={0,2}\.[\w-]{86}={0,2}", "t1."),
    # Code, packages and builds: JFrog, Clojars, GitLab (feature flags, sessions), Harness, npm, Octopus, Readme,
    # Sourcegraph.
    _keys(64, r"cmVmd[A-Za-z0-9]{59}(?![A-Za-z0-9])", "cmVmd"),
    _keys(68, r"CLOJARS_[A-Za-z0-9]{60}", "CLOJARS_"),
    _keys(27, r"glffct-[\w-]{20,}", "glffct-"),
    ShapedRule(re.compile(r"(?<=_gitlab_session=)[0-9a-z]{32}"), 48, ("_gitlab_session=",)),
    _keys(72, r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", "pat.", "sat."),
    _keys(40, r"npm_[A-Za-z0-9]{36}", "npm_"),
    _keys(30, r"API-[A-Z0-9]{26}(?![\w-])", "API-"),
    _keys(75, r"rdme_[a-z0-9]{70}", "rdme_"),
    _keys(44, r"sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}", "sgp_"),
    # What is watched and flagged: Dynatrace, Grafana, New Relic.
    _keys(96, r"dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}", "dt0c01."),
    _keys(78, r"eyJrIjoi[A-Za-z0-9+/]{70,}={0,3}", "eyJrIjoi"),
    _keys(36, r"glc_[A-Za-z0-9+/]{32,}={0,3}", "glc_"),
    _keys(24, r"NR(?:JS-[0-9a-f]{19}|II-[\w-]{32}|AK-[A-Z0-9]{27})(?![\w-])", "NRJS-", "NRII-", "NRAK-"),
    # Identities and networks: Authress, 42, Defined Networking, tokens of JSON within base64.
    _keys(
        57, r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,}", ".acc"
    ),
    _keys(73, r"s-s4t2(?:ud|af)-[0-9a-f]{64}", "s-s4t2"),
    _keys(85, r"dnkey-[\w=-]{26}-[\w=-]{52}", "dnkey-"),
    _keys(64, r"ZXlK[A-Za-z0-9+/]{60,}={0,2}", "ZXlK"),
    # Messages, pictures and people: Adobe, Dropbox, Facebook, Frame.io, Hugging Face (organisations), Mailgun, Mapbox,
    # MaxMind, Microsoft Teams, Brevo, SettleMint, Slack (refresh), Typeform.
    _keys(36, r"p8e-[A-Za-z0-9]{32}(?![\w-])", "p8e-"),
    _keys(133, r"sl\.(?:u\.)?[\w=-]{130,}", "sl."),
    _keys(43, r"\d{15,16}[|%][\w-]{27,40}(?![\w-])", "facebook", flags=re.IGNORECASE),
    _keys(104, r"EAA[MC][A-Za-z0-9]{100,}", "EAAM", "EAAC"),
    _keys(70, r"fio-u-[\w=-]{64}", "fio-u-"),
    _keys(42, r"api_org_[A-Za-z]{34}", "api_org_"),
    _keys(36, r"(?:pub)?key-[0-9a-f]{32}(?![\w-])", "key-"),
    _keys(86, r"[ps]k\.[A-Za-z0-9]{60,}\.[\w-]{22}", "pk.", "sk."),
    _keys(40, r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)", "_mmk"),
    ShapedRule(
        re.compile(rf"(?<=webhook\.office\.com/webhookb2/){_UUID}@{_UUID}/IncomingWebhook/[0-9a-z]{{32}}/{_UUID}"),
        188,
        ("webhook.office.com/webhookb2/",),
    ),
    _keys(89, r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}", "sib-"),
    _keys(23, r"sm_[aps]at_[A-Za-z0-9]{16}(?!\w)", "sm_aat_", "sm_pat_", "sm_sat_"),
    _keys(137, r"xoxe-\d-[A-Z0-9]{130,}", "xoxe-"),
    _keys(44, r"tfp_[\w.=-]{40,}", "tfp_"),
    # Shops and payments: Duffel, EasyPost, Flutterwave, Lob, Plaid, Shippo, Square, Stripe (restricted).
    _keys(55, r"duffel_(?:test|live)_[\w=-]{43}", "duffel_"),
    _keys(58, r"EZ[AT]K[A-Za-z0-9]{54}", "EZAK", "EZTK"),
    _keys(25, r"FLW(?:SECK|PUBK)_TEST-[A-Za-z0-9]{12,}(?:-X)?", "FLWSECK_TEST-", "FLWPUBK_TEST-"),
    _keys(40, r"(?:live|test)_(?:[0-9a-f]{35}|pub_[0-9a-f]{31})(?!\w)", "live_", "test_"),
    _keys(51, rf"access-(?:sandbox|development|production)-{_UUID}", "access-"),
    _keys(52, r"shippo_(?:live|test)_[0-9a-fA-F]{40}", "shippo_"),
    _keys(29, r"sq0(?:at|cs)p-[\w-]{22,}", "sq0atp-", "sq0csp-"),
    _keys(64, r"EAAA[\w-]{60}(?![\w-])", "EAAA"),
    _keys(24, r"(?:rk_test|[rs]k_prod)_[A-Za-z0-9]{16,}", "rk_test_", "k_prod_"),
)

# By the length of the shortest key, so that those are tried that a text has a word for.
PROVIDERS: Final = sorted(_RULES, key=lambda rule: rule.shortest_word)
