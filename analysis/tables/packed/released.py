"""Archives that a work tree does not hold: a commit of the project's repository does.

``raw/released.json`` names of every such archive the commit, its bytes and their SHA-256. Who needs
one gets it from there: from the clone's own history, or, where that is cut off, from where the
clone is from. It is held to its checksum then, and whenever it is used.
"""

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from analysis.git_commands import git_command
from analysis.paths import PROJECT
from analysis.results import ParseError
from analysis.unpacking import LARGEST_ARCHIVE_BYTES
from analysis.whole_files import write_whole, written_whole

RECORD, IGNORED = "released.json", ".gitignore"
_COMMIT, _DIGEST = re.compile(r"[0-9a-f]{40}"), re.compile(r"[0-9a-f]{64}")
_FETCH_S = 900


@dataclass(frozen=True, kw_only=True)
class Released:
    """Where an archive is, and what it is.

    Attributes
    ----------
    commit, path
        In the repository: the commit, and the path in its tree.
    bytes, sha256
        Of the archive.
    """

    commit: str
    path: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        is_named = _COMMIT.fullmatch(self.commit) and _DIGEST.fullmatch(self.sha256)
        is_inside = self.path.isprintable() and not self.path.startswith("/")
        if not (is_named and is_inside and 0 <= self.bytes <= LARGEST_ARCHIVE_BYTES):
            raise ValueError(
                f"{self} needs a commit, a path in the repository, a SHA-256 and a size"
            )


def released(raw_dir: Path) -> dict[str, Released]:
    """Return the released archives of a campaign, by the name of their file.

    Raises
    ------
    ParseError
        The record of them is damaged.
    """
    record = raw_dir / RECORD
    if not record.exists():
        return {}
    try:
        return {name: Released(**told) for name, told in json.loads(record.read_text()).items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as exc:
        raise ParseError(record, None, f"tells of no released archives: {exc}") from exc


def record_released(raw_dir: Path, archives: Mapping[str, Released]) -> None:
    """Write down which archives of a campaign are released; git then leaves them alone."""
    for name, content in (
        (RECORD, json.dumps({name: asdict(one) for name, one in archives.items()}, indent=1)),
        (IGNORED, "\n".join(sorted(archives))),
    ):
        if archives:
            write_whole(raw_dir / name, f"{content}\n".encode())
        else:
            (raw_dir / name).unlink(missing_ok=True)


def present(path: Path, scratch: Path, repository: Path = PROJECT) -> Path:
    """Return where an archive can be read; a released one is brought first if it is not there.

    It then stays for the next time, or is put into `scratch` where the campaign cannot be written.

    Raises
    ------
    ParseError
        It cannot be had, or is not what was released; names it, and tells where it is.
    """
    known = released(path.parent).get(path.name)
    if known is None:
        return path
    if path.exists():
        if sha256_of(path) != known.sha256:
            raise ParseError(path, None, "is not what was released: remove it, it is brought again")
        return path
    target = path if os.access(path.parent, os.W_OK) else scratch / path.name
    with written_whole(target) as partial:
        with partial.open("wb") as stream:
            said = _bring(repository, known, stream)
        if said is None and sha256_of(partial) != known.sha256:
            said = "it has other bytes there"
        if said is not None:
            message = (
                f"is not in this copy of the project ({said}); it is {known.path} of commit "
                f"{known.commit}, {known.bytes} bytes with SHA-256 {known.sha256}: put it there"
            )
            raise ParseError(path, None, message)
    return target


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _bring(repository: Path, known: Released, stream: IO[bytes]) -> str | None:
    """Write an archive into a stream; return None, or why it cannot be had."""
    blob = ("cat-file", "blob", f"{known.commit}:{known.path}")
    if _git(repository, *blob, into=stream) is None:
        return None
    fetch = ("fetch", "--quiet", "--no-tags", "--depth=1", "origin", known.commit)
    return _git(repository, *fetch) or _git(repository, *blob, into=stream)


def _git(
    repository: Path, *arguments: str, into: IO[bytes] | int = subprocess.DEVNULL
) -> str | None:
    """Run git; return None if it went well, and otherwise the last line that it said."""
    command = git_command(repository, *arguments)
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(
            command,
            stdout=into,
            stderr=subprocess.PIPE,
            env=environment,
            timeout=_FETCH_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return str(exc)
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return None if done.returncode == 0 else (lines or [f"git ended with {done.returncode}"])[-1]
