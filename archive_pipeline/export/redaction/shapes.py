"""Patterns for keys that have a shape of their own, and what tells that one is not worth a try on a text.

Few texts have a word as long as a key; a pattern that is tried on each of them at every character costs more than all
other rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

# A text in which a pattern of detect-secrets finds something has a word of so many characters, and one of these in any
# case, if any are known. Few texts do, and most of the patterns are tried at every character.
ASSIGNED: Final = ("key", "pw", "pass", "token")
NEEDLES: Final = {
    "AWSKeyDetector": (40, ("aws",)),
    "CloudantDetector": (24, (*ASSIGNED, "cloudant")),
    "IbmCloudIamDetector": (44, ASSIGNED),
    "IbmCosHmacDetector": (48, ("secret",)),
    "SlackDetector": (0, ("xox", "hooks.slack")),
    "SoftlayerDetector": (64, (*ASSIGNED, "softlayer")),
}
# The same of patterns in which case matters, in this case.
NEEDLES_IN_CASE: Final = {
    "AWSKeyDetector": (20, ()),
    "ArtifactoryDetector": (0, ("AKC", "AP")),
    "AzureStorageKeyDetector": (99, ()),
    "DiscordBotTokenDetector": (59, ()),
    "GitHubTokenDetector": (40, ()),
    "GitLabTokenDetector": (25, ()),
    "MailchimpDetector": (32, ("-us",)),
    "NpmDetector": (0, ("/:_authToken=",)),
    "PypiTokenDetector": (90, ()),
    "SendGridDetector": (69, ()),
    "SquareOAuthDetector": (50, ()),
    "StripeDetector": (0, ("k_live_",)),
    "TelegramBotTokenDetector": (44, ()),
    "TwilioKeyDetector": (34, ()),
}


@dataclass(frozen=True, slots=True)
class Traits:
    """What tells whether a pattern is worth a try.

    Attributes:
        text: the text.
        lowered: the text in which each letter that patterns take for one of ASCII in any case is that one, but for i.
        longest_word: characters of the longest of its words.
    """

    text: str
    lowered: str
    longest_word: int

    @classmethod
    def of(cls, text: str) -> Traits:
        """Return those of a text."""
        return cls(text, text.lower().replace("\u017f", "s"), max(map(len, text.split()), default=0))


@dataclass(frozen=True, slots=True)
class ShapedRule:
    """A pattern for keys that have a shape of their own.

    Attributes:
        pattern: what finds them.
        shortest_word: a text in which it finds something has a word of so many characters,
        needles: and one of these; empty if nothing is known of it.
    """

    pattern: re.Pattern[str]
    shortest_word: int
    needles: tuple[str, ...]

    def may_find(self, traits: Traits) -> bool:
        """Tell whether it is worth a try."""
        if traits.longest_word < self.shortest_word:
            return False
        where = traits.lowered if self.pattern.flags & re.IGNORECASE else traits.text
        return not self.needles or any(needle in where for needle in self.needles)
