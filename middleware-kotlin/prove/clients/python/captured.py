"""What python-memcached's tests import as `tests.utils`, which its source archive lacks."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator


@contextlib.contextmanager
def captured_stderr() -> Iterator[io.StringIO]:
    """Yield what is written to stderr in the block."""
    with contextlib.redirect_stderr(io.StringIO()) as captured:
        yield captured
