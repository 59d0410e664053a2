"""Files of TOML, which people write."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from records.documents import read_regular, require_plain_values
from remote.errors import ConfigError

_LARGEST_BYTES = 1 << 20


def read_toml(path: Path, most_bytes: int = _LARGEST_BYTES) -> dict[str, Any]:
    """Read a file of TOML.

    Raises
    ------
    ConfigError
        It cannot be read, is larger than `most_bytes`, is not UTF-8 or not TOML, or a value in it
        is refused by `require_plain_values`.
    """
    try:
        document = tomllib.loads(read_regular(path, most_bytes).decode("utf-8-sig"))
    except OSError as exc:
        raise ConfigError(path, exc.strerror or str(exc)) from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(path, f"not UTF-8: {exc}: save it as UTF-8") from exc
    except (ValueError, RecursionError) as exc:  # or a number or a depth that Python refuses
        raise ConfigError(path, f"not TOML: {exc}") from exc
    try:
        require_plain_values(document)
    except ValueError as exc:
        raise ConfigError(path, str(exc)) from exc
    return document
