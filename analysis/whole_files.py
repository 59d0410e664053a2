"""Files that are there with all that belongs into them, or not at all."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; it gets its name when the block has ended well.

    What was written is on disk then. When the block fails, or is interrupted, `path` is as it was
    and nothing else is left. Several processes may write the same file: the last one wins.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        descriptor = os.open(partial, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """Write a file of JSON, whole or not at all."""
    with written_whole(path) as partial:
        partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
