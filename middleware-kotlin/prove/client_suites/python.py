"""Python's clients: the tests of three from their source archives, a program for the fourth."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from client_suites.reports import parse_pytest
from client_suites.suite import CLIENTS, HOST, Suite, pinned, replace, run

REQUIREMENTS = CLIENTS / "python" / "requirements.txt"


@dataclass(frozen=True, kw_only=True)
class _Archive:
    """Where an archive has its tests, what pytest is told, and which texts are replaced."""

    folder: str
    arguments: Sequence[str]
    replacements: Mapping[str, str] = field(default_factory=dict)


_ARCHIVES = {
    "pymemcache": _Archive(
        folder="pymemcache/test",
        arguments=[
            "pymemcache/test/test_integration.py",
            "-mintegration",
            f"--server={HOST}",
            "--port={port}",
        ],
    ),
    "python-memcached": _Archive(folder="tests", arguments=["tests/test_memcache.py"]),
    # These speak the binary protocol where they can; text here. Autoconf's ask a server of AWS's.
    "pylibmc": _Archive(
        folder="tests",
        arguments=["tests", "--ignore=tests/test_autoconf.py"],
        replacements={"binary=True": "binary=False"},
    ),
}


def build(work: Path, ports: Sequence[int]) -> list[Suite]:
    """Install the clients in an environment of their own, and unpack the tests."""
    python = str(work / "venv" / "bin" / "python")
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run([sys.executable, "-m", "venv", str(work / "venv")])
    run([*pip, "install", "--require-hashes", f"-r{REQUIREMENTS}"])
    pinned = work / "archives.txt"
    pinned.write_text("".join(map(_requirement, _ARCHIVES)), encoding="utf-8")
    sources = ["--no-deps", "--no-binary=:all:", "--require-hashes", f"-r{pinned}"]
    run([*pip, "download", f"--dest={work}", *sources])
    port = str(ports[0])
    aiomcache = Suite(
        client="aiomcache",
        language="Python",
        version=_version("aiomcache"),
        command=[python, "python/aiomcache_tests.py", HOST, port],
    )
    return [*(_unpack(client, work, python, port) for client in _ARCHIVES), aiomcache]


def _unpack(client: str, work: Path, python: str, port: str) -> Suite:
    archive = _ARCHIVES[client]
    name = f"{client}-{_version(client)}"
    run(["tar", "--extract", f"--file={name}.tar.gz"], work)
    tests = work / name / archive.folder
    if client == "python-memcached":  # lacks a module and a file
        (tests / "__init__.py").touch()
        shutil.copy(CLIENTS / "python" / "captured.py", tests / "utils.py")
    addresses = {"127.0.0.1:11211": f"{HOST}:{port}"}
    replace(tests.glob("*.py"), {**archive.replacements, **addresses})
    # Neither the client's own settings nor those of this project, below whose folder it stands.
    pytest = [
        python,
        "-m",
        "pytest",
        "-c",
        os.devnull,
        "--rootdir=.",
        "-p",
        "no:cacheprovider",
        "-qrA",
    ]
    return Suite(
        client=client,
        language="Python",
        version=_version(client),
        command=[*pytest, *(argument.format(port=port) for argument in archive.arguments)],
        is_its_own=True,
        parse=parse_pytest,
        directory=work / name,
        environment={"MEMCACHED_HOST": HOST, "MEMCACHED_PORT": port},
    )


def _version(client: str) -> str:
    return pinned(REQUIREMENTS, rf"^{client}==(\S+)")


def _requirement(client: str) -> str:
    """Lines of `requirements.txt` about one client, with its hashes."""
    text = REQUIREMENTS.read_text(encoding="utf-8")
    found = re.search(rf"^{client}==.*(?:\n +.*)*\n", text, re.MULTILINE)
    return found[0] if found else ""
