"""A disk as a power loss would leave it: what of a folder was forced to it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


class Disk:
    """Records what `os.fsync` is called for below `root`, and calls `before` ahead of removals.

    All that is there when it is made is on the disk. Later a file's content is when the file was
    synchronised, and its name when the folder that has the name was, after it had it.
    """

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.before: Callable[[Path], None] = lambda path: None
        self.removed: list[Path] = []
        self._names: dict[int, set[str]] = {}
        self._contents: set[int] = set()
        for path in (root, *root.rglob("*")):
            self._synchronise(path)
        fsync, unlink = os.fsync, os.unlink

        def recorded(descriptor: int) -> None:
            fsync(descriptor)
            self._synchronise(Path(f"/proc/self/fd/{descriptor}").readlink())

        def removing(path: str | os.PathLike[str], **options: int) -> None:
            self.before(Path(path))
            unlink(path, **options)
            self.removed.append(Path(path))

        monkeypatch.setattr(os, "fsync", recorded)
        monkeypatch.setattr(os, "unlink", removing)

    def lost(self) -> list[Path]:
        """Return the files below `root` that a power loss would take now."""
        return [path for path in self.root.rglob("*") if path.is_file() and not self._has(path)]

    def _synchronise(self, path: Path) -> None:
        if path.is_dir():
            self._names[path.stat().st_ino] = {entry.name for entry in path.iterdir()}
        else:
            self._contents.add(path.stat().st_ino)

    def _has(self, path: Path) -> bool:
        below = path.relative_to(self.root)
        places = [self.root / one for one in (below, *below.parents) if one.name]
        named = all(
            place.name in self._names.get(place.parent.stat().st_ino, ()) for place in places
        )
        return named and path.stat().st_ino in self._contents
