"""Plain names of hosts, groups, sections, campaigns, middlewares and files; folders have them, too.

A plain name is one component of a path, and no command takes it for an option or for two words.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

NAME = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}"
NAME_RULE = "letters, digits, `.`, `_`, `-` (at most 100, not beginning with `.` or `-`)"
"""What a plain name consists of."""
IPV6 = "(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]{0,15}"
HOST = f"{NAME}|{IPV6}"
"""The name of a host may be its address."""
LONGEST_NAME_BYTES = 255
_DEEPEST = 8


def is_plain(name: str) -> bool:
    """Tell whether a name is plain."""
    return re.fullmatch(NAME, name) is not None


def is_plain_path(name: str) -> bool:
    """Tell whether a name is a path below a folder, of components that can be seen and written."""
    path = PurePosixPath(name)
    return (
        name == str(path)
        and not path.is_absolute()
        and 0 < len(path.parts) <= _DEEPEST
        and ".." not in path.parts
        and all(len(part.encode(errors="replace")) <= LONGEST_NAME_BYTES for part in path.parts)
        and name.isprintable()
    )
