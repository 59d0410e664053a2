"""The commands of `lab` that start the lab, show it, and take it down."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import click
from tabulate import tabulate

from lab.say import say
from remote.errors import ConfigError
from remote.providers.fleets import LOCAL, OTHERS
from remote.providers.local_lab import LocalLab, Topology, shell_command
from remote.providers.local_lab.status_text import status_text
from remote.providers.local_lab.topology import DEFAULT_TOPOLOGY

P = ParamSpec("P")


def _other_fleets_option(command: Callable[P, None]) -> Callable[P, None]:
    """Give `lab up`, `down` or `status` the option `--fleet`; the command itself is the lab's."""

    @click.option("--fleet", type=click.Choice([LOCAL, *OTHERS]), default=LOCAL, show_default=True)
    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        fleet = str(kwargs.pop("fleet"))
        if fleet in OTHERS:
            _VERBS[command.__name__](fleet)
        else:
            command(*args, **kwargs)

    return wrapped


def _up(fleet: str) -> None:
    path = OTHERS[fleet]().up(progress=say)
    say(f"inventory: {path}")


def _down(fleet: str) -> None:
    OTHERS[fleet]().down()
    say(f"The fleet `{fleet}` is down.")


def _status(fleet: str) -> None:
    states = OTHERS[fleet]().status()
    if not states:
        say(f"The fleet `{fleet}` is down; start it with `lab up --fleet {fleet}`.")
        sys.exit(1)
    rows = [(s.name, s.address, s.pid, "up" if s.is_up else "DOWN") for s in states]
    say(tabulate(rows, headers=["host", "address", "process", "state"]))
    sys.exit(0 if all(s.is_up for s in states) else 1)


_VERBS = {"up": _up, "down": _down, "status": _status}


@click.option(
    "--topology",
    default=DEFAULT_TOPOLOGY,
    show_default=True,
    help="Name, or path of a topology file.",
)
@click.option(
    "--time-dilation",
    type=float,
    help="k: divide rates and multiply delays by it.  [default: the topology's]",
)
@_other_fleets_option
def up(topology: str, time_dilation: float | None) -> None:
    """Start the lab; harmless if it is up, when only its time dilation may be changed."""
    wanted = Topology.named(topology)
    if time_dilation is not None:
        try:
            wanted = wanted.dilated(time_dilation)
        except ValueError as exc:
            raise ConfigError("--time-dilation", str(exc)) from exc
    inventory = LocalLab(wanted).up(progress=say)
    say(f"inventory: {inventory}")


@_other_fleets_option
def down() -> None:
    """Take the lab down and leave nothing behind; harmless if it is down."""
    LocalLab().down()
    say("The lab is down.")


@_other_fleets_option
def status() -> None:
    """Show the lab's hosts and network and what they have used; exit status 1 if any is down."""
    lab = LocalLab()
    states, switch = lab.status(), lab.switch()
    if not states or switch is None:
        say("The lab is down; start it with `lab up`.")
        sys.exit(1)
    say(status_text(states, switch))
    sys.exit(0 if switch.is_up and all(s.is_up for s in states) else 1)


@click.argument("host")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def shell(host: str, command: tuple[str, ...]) -> None:
    """Open a shell on HOST (c1, m1, s1, ...), or run COMMAND there."""
    argv = shell_command(host, *command)
    os.execvp(argv[0], argv)
