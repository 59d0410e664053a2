"""The kind of each column of the tidy tables: text or numbers."""

from typing import get_type_hints

import pandas as pd
from pandas.api.types import infer_dtype

from records.settings import Settings

_TEXTS = {
    *(name for name, kind in get_type_hints(Settings).items() if kind in (str, str | None)),
    *("section", "campaign", "profile", "generator", "git_commit", "started_at", "observer"),
    *("side", "request_type", "time", "server", "host", "role", "kind"),
    *("source", "target", "source_role", "target_role", "run", "status", "reason"),
}
_NUMBERS = {"floating", "integer", "mixed-integer-float", "boolean"}


def wrong_column(frame: pd.DataFrame) -> str:
    """Say which column has values of the wrong kind, and what it must hold; nothing if none has.

    A column without values is of any kind; truth values are numbers.
    """
    for name, column in frame.items():
        wanted, kinds = ("text", {"string"}) if name in _TEXTS else ("numbers", _NUMBERS)
        found = infer_dtype(column, skipna=True)
        if found not in kinds and column.notna().any():
            return f"column `{name}` must hold {wanted}, got values of the kind {found}"
    return ""
