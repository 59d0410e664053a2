"""What a host has sent, on disk and not in memory, under names that lead nowhere else."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator, MutableMapping
from pathlib import PurePosixPath

from records.names import LONGEST_NAME_BYTES, is_plain_path

MOST_OUTPUT_BYTES = 16 << 20
"""What a command may write on both of its streams; files are brought home otherwise."""
LARGEST_TREE_BYTES = 1 << 30
MOST_FILES = 10_000
CHUNK_BYTES = 1 << 18


class Received(MutableMapping[str, bytes]):
    """Files by name, kept in one that has no name itself: nothing of it is ever left behind.

    Reading an item reads the whole file; `chunks` reads any. Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._spool = _Spool()
        self._parts: dict[str, list[_Part]] = {}

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Keep a file of these chunks; when they end with an error there is none."""
        self._parts[name] = [self._spool.append(chunk) for chunk in chunks]

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a file, some of it at a time."""
        for spool, offset, length in self._parts[name]:
            yield spool.read(offset, length)

    def adopt(self, others: Received, folder: str) -> None:
        """Take all files of others over, as files below `folder`; nothing is copied."""
        for name, parts in others._parts.items():
            self._parts[f"{folder}/{name}"] = parts

    def __getitem__(self, name: str) -> bytes:
        return b"".join(self.chunks(name))

    def __setitem__(self, name: str, content: bytes) -> None:
        self.write(name, [content])

    def __delitem__(self, name: str) -> None:
        del self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class _Spool:
    """A file without a name, for as long as anything refers to it."""

    def __init__(self) -> None:
        file = tempfile.TemporaryFile()  # noqa: SIM115, see below
        weakref.finalize(self, file.close)
        self._file = file
        self._lock = threading.Lock()

    def append(self, chunk: bytes) -> _Part:
        with self._lock:
            offset = self._file.seek(0, 2)
            self._file.write(chunk)
        return self, offset, len(chunk)

    def read(self, offset: int, length: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            return self._file.read(length)


_Part = tuple[_Spool, int, int]  # where it begins, and its length


def plain_path(name: str) -> str:
    """Return a relative path that a host has sent; OSError if it is not plain."""
    path = str(PurePosixPath(name))
    if not is_plain_path(path):
        raise OSError(f"it sent a file of a name that cannot be: {name[:LONGEST_NAME_BYTES]!r}")
    return path
