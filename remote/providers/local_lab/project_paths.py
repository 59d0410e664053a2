"""Paths of what this process runs from: the project, its virtual environment, its Python."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[3]


def controllers_paths() -> list[Path]:
    """Return the paths that a host needs in order to run this project with this Python."""
    return paths_to([PROJECT, Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable)])


def paths_to(wanted: Iterable[Path]) -> list[Path]:
    """Return the real paths of what is wanted, and the symbolic links on the way there.

    Paths within a folder that is returned are left out. Folders come before links, so that a link
    into a folder can be made when the folder is there.
    """
    found = [step for path in wanted if path.exists() for step in _steps(path)]
    links = {path for path in found if path.is_symlink()}
    real = set(found) - links
    apart = {path for path in real if not real & set(path.parents)}
    return sorted(apart) + sorted(link for link in links if not apart & set(link.parents))


def _steps(path: Path) -> Iterator[Path]:
    """Yield each symbolic link on the way to an existing path, then the path without links."""
    here, names = Path("/"), list(reversed(path.absolute().parts[1:]))
    while names:
        name = names.pop()
        step = here.parent if name == ".." else here / name
        if step.is_symlink():
            yield step
            target = step.readlink()
            here = Path("/") if target.is_absolute() else here
            names += reversed([part for part in target.parts if part != "/"])
        else:
            here = step
    yield here
