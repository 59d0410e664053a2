"""`lab`: the local lab and its experiments from a terminal."""

from __future__ import annotations

import keyword
import signal
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import NamedTuple, ParamSpec

import click

from analysis.results import ParseError
from lab.say import say
from records.text.visible import shortened
from remote.errors import ConfigError, LabError, RemoteError

P = ParamSpec("P")
INTERRUPTED = 130
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Listed(NamedTuple):
    """A command as `lab --help` lists it, and the module of `lab` that has it."""

    module: str
    does: str


_PURPOSES = {
    "Build the lab": {
        "up": _Listed("local", "Start the lab on this machine."),
        "status": _Listed("local", "Show its hosts and links and what they have used."),
        "shell": _Listed("local", "Open a shell, or run a command, on one of its hosts."),
        "calibrate": _Listed("fleets", "Measure the machine's part of a round trip again."),
        "down": _Listed("local", "Stop the lab; nothing of it is left."),
    },
    "Use other hosts": {
        "fleet": _Listed("fleets", "Print which fleet this machine can have."),
        "hosts": _Listed("fleets", "Show what hosts lack."),
        "provision": _Listed("fleets", "Install on hosts what they lack."),
        "workers": _Listed("workers", "Run a Dask cluster on hosts."),
    },
    "Measure": {
        "run": _Listed("measuring", "Measure sections, and keep the runs in a campaign."),
        "find": _Listed("search", "Find the largest rate at which a condition holds."),
        "sensitivity": _Listed("sensitivity", "Measure what limits the throughput, and how much."),
        "dilations": _Listed("dilations", "Show by how much the time of a section is dilated."),
        "reproduce": _Listed("campaigns", "Measure a run again and compare."),
        "try": _Listed("middlewares", "Ask a middleware what it supports."),
    },
    "Look at what was measured": {
        "campaign": _Listed("campaigns", "Show which runs are done, missing or refused."),
        "claims": _Listed("claims", "Show which claims the numbers support."),
        "trace": _Listed("trace", "Show where the slowest requests spent their time."),
        "verify": _Listed("campaigns", "Check all files and runs of a campaign again."),
        "export": _Listed("export", "Write the report as PDF and HTML."),
    },
    "Share": {
        "pack": _Listed("packing", "Put a campaign's files into archives."),
        "unpack": _Listed("packing", "Put the files back."),
        "import": _Listed("imports", "Make a campaign of raw files measured elsewhere."),
    },
    "Teach": {
        "assign": _Listed("course", "Build a lab whose limits students have to find."),
        "grade": _Listed("course", "Mark what a student found."),
    },
}
_COMMANDS = {name: listed for group in _PURPOSES.values() for name, listed in group.items()}
_PASSES_OPTIONS_ON = ("find", "sensitivity", "shell")
"""These take options that are not theirs: factors of a section, or those of another command."""
_EXAMPLES = """
Examples:
  lab up                              start the lab
  lab run 2.1 3.1 --campaign mine     measure two sections
  lab campaign mine                   show what is measured
  lab export --campaign mine          write the report
  lab down                            stop the lab
"""


def _clear_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the errors that users can mend into one message and exit status 1."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        for number in INTERRUPTS:
            signal.signal(number, _interrupt)
        try:
            command(*args, **kwargs)
        except (RemoteError, LabError, ConfigError, ParseError) as exc:
            say(f"lab: {exc}", err=True)
            if isinstance(exc, RemoteError):
                _say_network_problem()
            sys.exit(1)
        except OSError as exc:
            say(f"lab: on this machine: {shortened(str(exc))}", err=True)
            sys.exit(1)
        except KeyboardInterrupt:
            say("lab: interrupted; what was measured is kept, run again to resume", err=True)
            sys.exit(INTERRUPTED)

    return wrapped


def _say_network_problem() -> None:
    from remote.providers.local_lab import network_problem  # slow to load

    if problem := network_problem():
        say(f"lab: {problem}", err=True)


def _interrupt(number: int, frame: object) -> None:
    """Unwind once; a second signal must not break off the ending of what runs on the hosts."""
    for other in INTERRUPTS:
        signal.signal(other, signal.SIG_IGN)
    say("\nlab: ending what runs on the hosts ...", err=True)
    raise KeyboardInterrupt


class _Commands(click.Group):
    """The commands of `lab`, by purpose; a command's module is imported when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is no such command."""
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            self.add_command(_imported(cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each purpose, without importing any."""
        widest = max(map(len, _COMMANDS))
        for purpose, group in _PURPOSES.items():
            with formatter.section(purpose):
                formatter.write_dl([(name.ljust(widest), one.does) for name, one in group.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they stand."""
        formatter.write(_EXAMPLES)


def _imported(name: str) -> click.Command:
    function_name = f"{name}_" if keyword.iskeyword(name) else name
    function = getattr(import_module(f"lab.{_COMMANDS[name].module}"), function_name)
    settings = {"ignore_unknown_options": True} if name in _PASSES_OPTIONS_ON else {}
    told = function if name == "export" else _clear_errors(function)
    return click.command(name=name, context_settings=settings)(told)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="middleware-lab")
def main() -> None:
    """Measure middlewares of memcached, on a lab on this machine or on hosts of your own.

    The lab is a set of hosts: network namespaces, each with its own sshd and a shaped link.

    Each command has a `--help` of its own. The exit status is 0 if all went well, 1 with a message
    that says what to do, 2 for a wrong command line, and 130 if interrupted, when what was measured
    is kept. Commands with other statuses tell them.
    """
