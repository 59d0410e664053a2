"""`lab`: the local lab and its experiments from a terminal."""

from __future__ import annotations

import contextlib
import keyword
import os
import signal
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from typing import ParamSpec

import click

from analysis.results import ParseError
from lab.campaigns import NOT_COMPLETE
from lab.fleets import lab_up, other_fleets_option
from lab.say import say
from lab.shared_options import measuring_options, parse_one_of
from records.text.visible import shortened
from remote.campaign import Campaign
from remote.campaign.states import RunState
from remote.campaign.view.dry_run import missing_table
from remote.campaign.view.precision import known_text
from remote.errors import ConfigError, LabError, RemoteError
from remote.providers.local_lab import LocalLab, Topology, network_problem, shell_command
from remote.providers.local_lab.status_text import status_text
from remote.providers.local_lab.topology import DEFAULT_TOPOLOGY, topology_for

P = ParamSpec("P")
INTERRUPTED = 130
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MODULES = {
    **dict.fromkeys(("assign", "grade"), "course"),
    **dict.fromkeys(("calibrate", "fleet", "hosts", "provision"), "fleets"),
    **dict.fromkeys(("campaign", "reproduce", "verify"), "campaigns"),
    **dict.fromkeys(("pack", "unpack"), "packing"),
    "claims": "claims",
    "dilations": "dilations",
    "export": "export",
    "find": "search",
    "import": "imports",
    "sensitivity": "sensitivity",
    "trace": "trace",
    "try": "middlewares",
    "workers": "workers",
}
"""The modules of `lab` that have the commands which are not here."""
_TAKES_OPTIONS_OF_RUN = ("find", "sensitivity")


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
            if isinstance(exc, RemoteError) and (problem := network_problem()):
                say(f"lab: {problem}", err=True)
            sys.exit(1)
        except OSError as exc:
            say(f"lab: on this machine: {shortened(str(exc))}", err=True)
            sys.exit(1)
        except KeyboardInterrupt:
            say("lab: interrupted; what was measured is kept, run again to resume", err=True)
            sys.exit(INTERRUPTED)

    return wrapped


def _interrupt(number: int, frame: object) -> None:
    """Unwind once; a second signal must not break off the ending of what runs on the hosts."""
    for other in INTERRUPTS:
        signal.signal(other, signal.SIG_IGN)
    say("\nlab: ending what runs on the hosts ...", err=True)
    raise KeyboardInterrupt


class _Commands(click.Group):
    """The commands of `lab`; those of other modules are imported when they are named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*self.commands, *_MODULES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is no such command."""
        if cmd_name in _MODULES and cmd_name not in self.commands:
            self.add_command(_imported(cmd_name))
        return super().get_command(ctx, cmd_name)


def _imported(name: str) -> click.Command:
    function_name = f"{name}_" if keyword.iskeyword(name) else name
    function = getattr(import_module(f"lab.{_MODULES[name]}"), function_name)
    settings = {"ignore_unknown_options": True} if name in _TAKES_OPTIONS_OF_RUN else {}
    told = function if name == "export" else _clear_errors(function)
    return click.command(name=name, context_settings=settings)(told)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="middleware-lab")
def main() -> None:
    """Build the local lab and measure on it.

    The lab is a set of hosts on this machine: network namespaces, each with its own sshd and a
    shaped link. A typical session: `lab up`, `lab run 2.1 3.1 --profile smoke`, `lab down`.

    Exit status of all commands: 0, 1 with a message that says what to do, 2 for a wrong command
    line, 130 if interrupted, when what was measured is kept; others are told with the command.
    """


@main.command()
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
@other_fleets_option
@_clear_errors
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


@main.command()
@other_fleets_option
@_clear_errors
def down() -> None:
    """Take the lab down and leave nothing behind; harmless if it is down."""
    LocalLab().down()
    say("The lab is down.")


@main.command()
@other_fleets_option
@_clear_errors
def status() -> None:
    """Show the lab's hosts and network and what they have used; exit status 1 if any is down."""
    lab = LocalLab()
    states, switch = lab.status(), lab.switch()
    if not states or switch is None:
        say("The lab is down; start it with `lab up`.")
        sys.exit(1)
    say(status_text(states, switch))
    sys.exit(0 if switch.is_up and all(s.is_up for s in states) else 1)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("host")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@_clear_errors
def shell(host: str, command: tuple[str, ...]) -> None:
    """Open a shell on HOST (c1, m1, s1, ...), or run COMMAND there."""
    argv = shell_command(host, *command)
    os.execvp(argv[0], argv)


@main.command()
@click.argument("sections", nargs=-1, required=True, metavar="SECTION...")
@measuring_options
@click.option(
    "--trace",
    "followed",
    metavar="1/N",
    help="Write down one of N requests of each connection wherever it passes, for `lab trace`; or "
    "`none`.  [default: each section's]",
)
@click.option(
    "--report",
    is_flag=True,
    help="Write figures/report/ (HTML) with what is measured so far after each section.",
)
@_clear_errors
def run(
    sections: tuple[str, ...],
    profile: str,
    campaign: str,
    fleet: str,
    allow_public: bool,
    time_dilation: float | None,
    middleware: str,
    followed: str | None,
    retry: bool,
    dry_run: bool,
    own_lab: bool,
    report: bool,
) -> None:
    """Measure what is missing of each SECTION (0, 2.1, ..., or a file) and keep it in the campaign.

    A file is a section of your own, such as my.toml (docs/sections.md); the campaign keeps a copy.
    Sections of message queues need a lab of topology `queue`; --own-lab starts what is needed.
    Another middleware has a campaign of its own below, CAMPAIGN/middlewares/NAME. In a campaign a
    section keeps to the --trace that it was begun with.

    Interrupt with Ctrl-C at any time: what is measured is kept, the next call resumes. Exit status
    3 if runs were given up after three attempts: they are named, all others are done.
    """
    sections = tuple(dict.fromkeys(sections))
    opened = Campaign.open(
        campaign,
        profile=profile,
        fleet=fleet,
        middleware=middleware,
        follow=None if followed is None else parse_one_of(followed),
        allow_public=allow_public,
    )
    for section in sections:
        if lost := opened.cannot_be_told(section):
            say(f"{section}: {opened.middleware_name} cannot be told {', '.join(lost)}")
    if dry_run:
        plans = [
            opened.planned(section, retry=retry, time_dilation=time_dilation)
            for section in sections
        ]
        links = [state for section in sections for state in opened.states_of_links(section)]
        say(missing_table(plans, links, opened.path))
        opened.require_hosts(*sections)
        return
    on_section = None
    if report:
        from lab.pages_so_far import PagesSoFar  # notebooks are slow to load

        to_come = [name for name in sections if opened.missing(name, retry=retry)]
        on_section = PagesSoFar(opened, [opened.plan(name).name for name in to_come]).write
    left: list[RunState] = []
    for topology, group in _by_topology(opened, sections).items():
        missing = any(opened.missing(section, retry=retry) for section in group)
        with lab_up(fleet, topology) if own_lab and missing else contextlib.nullcontext():
            left += opened.measure(
                *group, retry=retry, time_dilation=time_dilation, on_section=on_section
            )
    if known := known_text([opened.planned(section) for section in sections]):
        say(known)
    planned = sum(len(opened.states(section)) for section in sections)
    say(f"{planned - len(left)} of {planned} runs are done in {opened.path}")
    sys.exit(NOT_COMPLETE if left else 0)


def _by_topology(opened: Campaign, sections: Iterable[str]) -> dict[str, list[str]]:
    """Return the sections by the local lab's topology that has their hosts."""
    found: dict[str, list[str]] = {}
    for section in sections:
        found.setdefault(topology_for(opened.plan(section).hosts), []).append(section)
    return found
