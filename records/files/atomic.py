"""Files that are there with all that belongs into them, or not at all."""

import contextlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; it gets its name when the block has ended well.

    What was written is on disk then, and so is its folder, which is made if it is missing. When the
    block fails, or is interrupted, `path` is as it was and nothing else is left. Several processes,
    also of several machines that share the disk, may write the same file: the last one wins.
    """
    make_folder(path.parent)
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
    try:
        yield partial
        _sync(partial)
        partial.replace(path)
        _sync(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def no_link(path: str, flags: int) -> int:
    """Open a file as `open` asks its `opener` to, but not through a symbolic link: OSError then."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def make_folder(path: Path) -> None:
    """Make a folder and those above it that are missing; they are on disk then."""
    missing = [one for one in (path, *path.parents) if not one.exists()]
    path.mkdir(parents=True, exist_ok=True)
    if missing:
        sync_to_disk([path.parent], missing[-1].parent)


def sync_to_disk(paths: Iterable[Path], root: Path) -> None:
    """Force files and folders to disk, and all folders above them up to `root`.

    A file is there after a power loss if each folder on the way to it is on the disk as well. They
    are forced side by side: the disk takes many at the price of one.
    """
    steps = {step for path in paths for step in (path, *path.parents) if step.is_relative_to(root)}
    with ThreadPoolExecutor(max_workers=16) as executor:
        list(executor.map(_sync, steps))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with written_whole(path) as partial:
        partial.write_bytes(content)


def write_json(path: Path, content: Any) -> None:
    """Write a file of JSON, whole or not at all."""
    write_whole(path, as_json(content))


def as_json(content: Any) -> bytes:
    """Return what `write_json` writes."""
    return (json.dumps(content, indent=1) + "\n").encode()
