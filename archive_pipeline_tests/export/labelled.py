"""Texts with what has to be redacted in them between ⟦ and ⟧, and texts that look like it and have nothing.

Secrets are made up; those with a shape are put together here, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

LETTERS = "aB3dE5gH7jK9mN2pQ4rS6tU8vW0xY1z"
HEX = "9f8e7d6c5b4a3021"


def made(prefix: str, length: int, characters: str = LETTERS) -> str:
    """Return a prefix and so many characters behind it."""
    return prefix + (characters * 8)[:length]


WITH = [
    "Write to ⟦ann.lee@example.org⟧ or ⟦o'brien+news@mail.example.co.uk⟧.".replace("o'brien", "obrien"),
    "Mail: <⟦müller@beispiel.de⟧>; the rest is in the file.",
    "Call ⟦+49 30 901820⟧ or ⟦+1 (650) 253-0000⟧ before noon.",
    "My number is ⟦+44 20 7946 0018⟧.",
    "IBAN ⟦DE89 3704 0044 0532 0130 00⟧, BIC follows.",
    "Transfer to ⟦GB82WEST12345698765432⟧ please.",
    "Zahlung an ⟦FR1420041010050500013M02606⟧.",
    "iban ⟦de89370400440532013000⟧ or ⟦DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000⟧",
    "The card ⟦4111\u00a01111\u202f1111\u00a01111⟧ is another.",
    "The card ⟦4111 1111 1111 1111⟧ was refused.",
    "Use ⟦5555-5555-5555-4444⟧ or ⟦378282246310005⟧ in tests.",
    "cd /home/⟦jdoe⟧/projects && ls",
    "Open C:\\Users\\⟦AnnLee⟧\\Documents or /Users/⟦annlee⟧/Desktop.",
    "cd c:\\users\\⟦annlee⟧\\x, C:/users/⟦annlee⟧/x or C:\\\\\\\\Users\\\\\\\\⟦annlee⟧",
    'In "C:\\Users\\⟦Ann van Lee⟧", C:\\Users\\⟦Ann Lee⟧\\x and /Users/⟦ann lee⟧/x, but /Users/⟦ann⟧ and /home/⟦lee⟧',
    "~/.claude/projects/-home-⟦annlee⟧-work/a.jsonl, ~/.claude/projects/C--Users-⟦annlee⟧-work",
    "Ask ⟦Mira⟧ whether ⟦Blue Harbour⟧ is still the code name.",
    f"export OPENAI_API_KEY=⟦{made('sk-' + 'proj-', 48)}⟧",
    f"Anthropic: ⟦{made('sk-' + 'ant-api03-', 60)}⟧",
    f"github: ⟦{made('gh' + 'p_', 36)}⟧",
    f"aws_access_key_id = ⟦{made('AK' + 'IA', 16, 'ABCDEFGHIJKLMNOP')}⟧",
    f"the token is ⟦{made('hf' + '_', 34)}⟧ and works",
    f"google: ⟦{made('AI' + 'za', 35)}⟧",
    f"slack ⟦{'xo' + 'xb-'}123456789012-1234567890123-{made('', 24)}⟧",
    f"stripe ⟦{made('sk' + '_live_', 24)}⟧",
    f"Authorization: Bearer ⟦{made('', 40)}⟧",
    f"jwt ⟦{made('ey' + 'J', 20)}.{made('ey' + 'J', 30)}.{made('', 43)}⟧",
    *(
        f"the one that works: ⟦{made(prefix, length, characters)}⟧."
        for prefix, length, characters in (
            ("gs" + "k_", 52, LETTERS),
            ("xa" + "i-", 80, LETTERS),
            ("pp" + "lx-", 48, LETTERS),
            ("r8" + "_", 37, LETTERS),
            ("nv" + "api-", 64, LETTERS),
            ("do" + "p_v1_", 64, HEX),
            ("LT" + "AI", 20, LETTERS),
            ("gl" + "sa_" + LETTERS + "a_", 8, HEX),
            ("hv" + "s.", 90, LETTERS),
            ("sb" + "p_", 40, HEX),
            ("sn" + "trys_", 60, LETTERS),
            ("AGE-SECRET" + "-KEY-1", 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
            ("dc" + "kr_pat_", 27, LETTERS),
            ("ruby" + "gems_", 48, HEX),
            ("AT" + "ATT3", 120, LETTERS),
            ("fi" + "gd_", 40, LETTERS),
            ("lin" + "_api_", 40, LETTERS),
            ("PM" + "AK-" + HEX + HEX[:8] + "-", 34, HEX),
            ("nt" + "n_", 46, LETTERS),
            ("sh" + "pat_", 32, HEX),
            ("sk" + "_test_", 24, LETTERS),
            ("wh" + "sec_", 32, LETTERS),
            ("xa" + "pp-1-A0B1C2D3E4F-1234567890123-", 64, HEX),
            ("ya" + "29.", 60, LETTERS),
            ("GO" + "CSPX-", 28, LETTERS),
        )
    ),
    "password = '⟦correcthorsebattery⟧'",
    'db_password: "⟦tr0ub4dor&3⟧"',
    '{"api_key": "⟦q9w8e7r6t5y4u3i2⟧", "max_tokens": 4096}',
    "GITHUB_TOKEN = '⟦9f8e7d6c5b4a39281706⟧'  # of the bot",
    "SECRET_KEY=⟦9f8e7d6c5b4a39281706⟧",
    "postgresql://archive:⟦s3cr3tpw⟧@db.example.org:5432/archive",
    "⟦-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA " + "PRIVATE KEY-----⟧",
]
WITHOUT = [
    "The token bucket fills the pass over the key.",
    "Version 1.2.3.4567 came at 1700000000000, ISBN 9783161484100.",
    "The key idea: pass a token from left to right.",
    "In Python, print(f'{name}@{host}') joins the two with an at sign.",
    "A password should be long: use four random words.",
    "The order 4111 1111 1111 1112 has the wrong check digit.",
    "DE88 3704 0044 0532 0130 00 has wrong check digits.",
    "Set password: ${DB_PASSWORD} in the file, or <your-password>.",
    "GET /users/annlee, the users: /users/annlee, -home-made bread, a bearer of bad-and-unexpected-news",
    "de88370400440532013000 has wrong check digits, be6912345678901 the wrong length, ab71123456789012 no country.",
    "The range 2020-2024 and the ratio 16:9, 3.14159265358979, 0.1234567890123456.",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes it",
    "id 123e4567-e89b-12d3-a456-426614174000 is a UUID.",
    "Go to /home/user/ or /Users/Shared, both are examples.",
    "She said: the author of the keynote is a secretary.",
    "+ 12 apples and + 3 pears are 15.",
    "@decorator lines and user@ alone are no addresses; neither is @example.org.",
    "def authenticate(token): return token == expected",
    "The monkey and the turkey; a keyboard: compact, with USB.",
    "My number is 42, and the year 1999.",
    "var8_counter and chars_at are names; ntn_short, gsk_example and hvs.example.org are none of its keys.",
    "The class AbstractSingletonProxyFactoryBeanPostProcessorConfigurationAdapter exists.",
    'Load it: tokenizer = "cl100k_base_of_2023", max_tokens=4096, "token_count": 12345678.',
    "Set npm_config_registry, sm_pat_ and access-control-allow-origin; v1.0-rc1 has key-value pairs.",
    "live_update_of_the_whole_page_by_polling and test_that_nothing_is_left_behind are functions; sha256~ is no hash.",
    "https://example.org/a/very/long/address/with-many-words-and-ya29-in-it/index.html",
]
