"""A made-up key for each rule of ``export.redaction.providers``, put together here so that no scanner takes it for one.

The prefixes stand in two pieces for the same reason.
"""

from __future__ import annotations

from archive_pipeline_tests.export.labelled import HEX, LETTERS, made

_CAPITALS = "A7BC3DE9FGH2J4KL5MNP"
_UUID = "1f0c9a2b-7d44-4e1a-9b3c-5a6d7e8f9012"

KEYS = {
    "1Password": ["A3" + "-A1B2C3-D4E5F6-G7H8J-K9L0M-N1P2Q-R3S4T", made("ops" + "_eyJ", 120)],
    "Adobe": [made("p8" + "e-", 32)],
    "Authress": [made("sc" + "_abcde12345.x1y2z3.acc-0123456789ab.", 40)],
    "Azure": [made("aB3" + "8Q~", 33)],
    "Brevo": [
        made("xkey" + "sib-", 64, HEX) + "-" + made("", 16),
        made("xsmtp" + "sib-", 64, HEX) + "-" + made("", 16),
    ],
    "ClickHouse": [made("4b" + "1d", 38)],
    "Clojars": [made("CLO" + "JARS_", 60)],
    "Cloudflare": [made("v1" + ".0-", 24, HEX) + "-" + made("", 128, HEX) + HEX + "0a"],
    "Databricks": [made("da" + "pi", 32, HEX)],
    "Defined Networking": [made("dn" + "key-", 26) + "-" + made("", 52)],
    "Doppler": [made("dp" + ".pt.", 43), made("dp" + ".st.prd.", 43)],
    "Dropbox": [made("s" + "l.", 135)],
    "Duffel": [made("duf" + "fel_live_", 43)],
    "Dynatrace": [made("dt0" + "c01.", 24) + "." + made("", 64)],
    "EasyPost": [made("EZ" + "AK", 54), made("EZ" + "TK", 54)],
    "Facebook": [made("EA" + "AM", 110)],
    "Flutterwave": [made("FLW" + "SECK_TEST-", 32) + "-X", made("FLW" + "PUBK_TEST-", 32) + "-X"],
    "Fly.io": [made("fo" + "1_", 43), made("fm" + "2_", 110), made("fm" + "1r_", 110)],
    "Frame.io": [made("fio" + "-u-", 64)],
    "GitLab": [made("glf" + "fct-", 20)],
    "Grafana": [made("eyJr" + "Ijoi", 80), made("gl" + "c_", 60)],
    "Harness": [made("pa" + "t.", 22) + "." + made("", 24) + "." + made("", 20)],
    "Heroku": [made("HRKU" + "-AA", 58)],
    "Hugging Face": [made("api" + "_org_", 34, "aBcDeFgHiJkLmNoPqR")],
    "Infracost": [made("ic" + "o-", 32)],
    "JFrog": [made("cmV" + "md", 59)],
    "Lob": [made("live" + "_", 35, HEX), made("test" + "_pub_", 31, HEX)],
    "Mailgun": [made("ke" + "y-", 32, HEX), made("pub" + "key-", 32, HEX)],
    "Mapbox": [made("p" + "k.", 60) + "." + made("", 22)],
    "MaxMind": [made("", 6) + "_" + made("", 29) + "_m" + "mk"],
    "New Relic": [made("NR" + "JS-", 19, HEX), made("NR" + "II-", 32), made("NR" + "AK-", 27, _CAPITALS)],
    "Octopus": [made("AP" + "I-", 26, _CAPITALS)],
    "OpenShift": [made("sha" + "256~", 43)],
    "Plaid": ["access" + f"-sandbox-{_UUID}"],
    "PlanetScale": [made("psc" + f"ale_{kind}_", 43) for kind in ("tkn", "oauth", "pw")],
    "Prefect": [made("pn" + "u_", 36)],
    "Pulumi": [made("pu" + "l-", 40, HEX)],
    "Readme": [made("rd" + "me_", 70, "a1b2c3d4e5")],
    "Scalingo": [made("tk" + "-us-", 48)],
    "SettleMint": [made("sm" + f"_{kind}at_", 16) for kind in "aps"],
    "Shippo": [made("ship" + "po_live_", 40, HEX)],
    "Slack": [made("xox" + "e-1-", 146, _CAPITALS)],
    "Sourcegraph": [made("sg" + "p_", 40, HEX), made("sg" + "p_local_", 40, HEX)],
    "Square": [made("sq0" + "atp-", 22), made("sq0" + "csp-", 43), made("EA" + "AA", 60)],
    "Stripe": [made("rk" + "_test_", 40), made("sk" + "_prod_", 40)],
    "Terraform": [made("", 14) + ".atlas" + "v1." + made("", 65)],
    "Typeform": [made("tf" + "p_", 59)],
    "Yandex": [made("AQ" + "VN", 36), made("t" + "1.", 60) + "." + made("", 86)],
    "a token of JSON in base64": [made("ZX" + "lK", 90)],
    "an intranet of 42": [made("s-s4" + "t2ud-", 64, HEX)],
    "npm": [made("np" + "m_", 36)],
}
# Those of which only a part is the key.
WITHIN = {
    "an application of Facebook": f"the facebook token ⟦123456789012345|{made('', 27, LETTERS)}⟧ works",
    "a session of GitLab": f"Cookie: _gitlab_session=⟦{made('', 32, 'a1b2c3d4')}⟧; path=/",
    "a webhook of Teams": "https://acme.webhook." + f"office.com/webhookb2/⟦{_UUID}@{_UUID}/Incoming"
    f"Webhook/{made('', 32, HEX)}/{_UUID}⟧",
}
