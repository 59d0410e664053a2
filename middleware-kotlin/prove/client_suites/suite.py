"""What a suite is, and what all builds do: run commands, copy tests, write addresses into them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from client_suites.reports import Parser, parse_tap

CLIENTS = Path(__file__).parents[1] / "clients"
HOST = "127.0.0.1"
BUILD_TIMEOUT_S = 480


class BuildError(Exception):
    """The tests of a language could not be fetched or built; says which command failed, and how."""


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Tests of one client, its own or a program of ours that uses it.

    `command` runs them against the ports that they were built for.
    """

    client: str
    language: str
    version: str
    is_its_own: bool = False
    command: Sequence[str]
    parse: Parser = parse_tap
    directory: Path = CLIENTS
    environment: Mapping[str, str] = field(default_factory=dict)


def pinned(path: Path, pattern: str) -> str:
    """Find the pinned version in a file; the pattern's group is the version."""
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise BuildError(f"{path} names no version: nothing there matches {pattern}")
    return found[1]


def copy(source: Path, target: Path) -> Path:
    """Copy a folder, writable even where the source is not, in place of an earlier copy."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    for folder in (target, *filter(Path.is_dir, target.rglob("*"))):
        folder.chmod(0o755)
    return target


def replace(paths: Iterable[Path], replacements: Mapping[str, str]) -> None:
    """Replace texts in files, such as the addresses of servers."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for old, new in replacements.items():
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


def run(
    command: Sequence[str], directory: Path = CLIENTS, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command of a build; returns what it prints, or raises `BuildError` with its end."""
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=BUILD_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise BuildError(f"{' '.join(command)}: {failure}") from failure
    if done.returncode:
        said = (done.stderr + done.stdout).strip()[-1500:]
        raise BuildError(f"{' '.join(command)}: exit status {done.returncode}\n{said}")
    return done.stdout
