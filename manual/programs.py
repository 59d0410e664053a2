"""The options of middleware and load generator, as their `--help` prints them."""

from __future__ import annotations

import subprocess

from manual.markdown import code, page
from records.paths import PROJECT

PROGRAMS = PROJECT / "middleware-kotlin" / "bin"
README = "../../middleware-kotlin/README.md"
_WITHIN_S = 60


def write() -> str:
    """Write the page.

    Raises
    ------
    CalledProcessError
        The jar is not built, or there is no Java; the program has said so on standard error.
    """
    return page(
        "Options of the programs",
        f"What they do, in more words: [the middleware]({README}#options), "
        f"[the load generator]({README}#the-load-generator).",
        "## middleware",
        code(_help("middleware")),
        "## memtier_benchmark",
        code(_help("memtier_benchmark")),
    )


def _help(program: str) -> str:
    command = [str(PROGRAMS / program), "--help"]
    return subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, timeout=_WITHIN_S
    ).stdout
