"""Plain names of hosts, groups, sections, campaigns, middlewares and files; folders have them, too.

A plain name is one component of a path, and no command takes it for an option or for two words.
"""

from __future__ import annotations

import re

NAME = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}"
NAME_RULE = "letters, digits, `.`, `_`, `-` (at most 100, not beginning with `.` or `-`)"
"""What a plain name consists of."""
IPV6 = "(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]{0,15}"
HOST = f"{NAME}|{IPV6}"
"""The name of a host may be its address."""


def is_plain(name: str) -> bool:
    """Tell whether a name is plain."""
    return re.fullmatch(NAME, name) is not None
