"""Text of others, shown as it is and not done: it cannot steer a terminal or turn a line around."""

from __future__ import annotations

import re

# Control characters but tabs and line ends, what has no width or changes the direction of text,
# line ends of Unicode's own, and halves of characters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff]"
)
LONGEST_MESSAGE = 16_000
"""Characters that an error shows: what others have written may be of any length."""


def shortened(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """Leave the middle of a text out if it has more than `longest` characters, and say so."""
    left_out = len(text) - longest
    half = longest // 2
    return text if left_out <= 0 else f"{text[:half]}... [{left_out} more] ...{text[-half:]}"


def visible(text: str) -> str:
    r"""Write characters that would not be seen as Python does: an escape becomes ``\x1b``."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
