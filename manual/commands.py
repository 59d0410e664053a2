"""`lab` and `make`: every command as its `--help` tells it, every target as `make help` does."""

from __future__ import annotations

import re

import click

from lab.cli import main as lab
from manual.markdown import code, page, quoted, table
from records.paths import PROJECT

MAKEFILE = PROJECT / "Makefile"
COLUMNS = 100
_TARGET = re.compile(r"^(?P<name>[a-z-]+):.*## (?P<words>.+)$", re.MULTILINE)


def commands() -> dict[str, click.Command]:
    """Return the commands of `lab` by name."""
    context = above()
    found = ((name, lab.get_command(context, name)) for name in lab.list_commands(context))
    return {name: command for name, command in found if command is not None}


def targets() -> dict[str, str]:
    """Return the targets of the Makefile, and what each does."""
    found = _TARGET.finditer(MAKEFILE.read_text(encoding="utf-8"))
    return dict(sorted((match["name"], match["words"]) for match in found))


def above() -> click.Context:
    """Return the context of `lab`, in which its commands stand."""
    return click.Context(lab, info_name="lab", terminal_width=COLUMNS, **lab.context_settings)


def write() -> str:
    """Write the page."""
    top = above()
    parts = [code(lab.get_help(top))]
    for name, command in commands().items():
        context = click.Context(command, info_name=name, parent=top, **command.context_settings)
        parts += [f"## lab {name}", code(command.get_help(context))]
    rows = [(quoted(f"make {name}"), words) for name, words in targets().items()]
    return page("Commands", *parts, "## make", table(["target", "what it does"], rows))
