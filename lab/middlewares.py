"""`lab try`: what a middleware supports, and what is wrong with it."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from lab.fleets import lab_up
from lab.say import say
from lab.shared_options import fleet_option, public_option
from records.middleware import Middleware
from remote.conformance.hosts_bench import from_here, open_on_hosts, place_on_hosts
from remote.conformance.questionnaire import (
    GROUPS,
    Finding,
    Group,
    findings_table,
    remove_programs,
    try_middleware,
    write_program,
)
from remote.conformance.trial import Verdict
from remote.conformance.wire import PATIENCE_S
from remote.hosts.inventory import Inventory
from remote.hosts.provision import provision
from remote.hosts.public import require_private
from remote.hosts.ssh.handshake import ssh_command
from remote.providers.fleets import LOOPBACK, inventory_path
from remote.providers.sole_control import sole_controller
from remote.services.middleware_file import find_middleware_file, read_middleware_file

FAULTY = 1
_KEPT_S = 3600.0
_PUBLIC = ("--allow-public",)


@click.argument("middleware", metavar="NAME|FILE")
@fleet_option
@public_option
@click.option(
    "--programs",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where to write the programs that show faults.  [default: build/try/NAME]",
)
@click.option(
    "--keep",
    type=click.Choice([group.name for group in GROUPS]),
    help="Ask nothing: start the middleware with one server, three servers, or three servers and "
    "sharded multi-gets, and keep it running until Ctrl-C, for the programs that show faults.",
)
def try_(
    middleware: str, fleet: str, allow_public: bool, programs: Path | None, keep: str | None
) -> None:
    """Ask a middleware, such as mine.toml or nutcracker, what it supports, and show a table.

    The middleware is started with one memcached, and with three: get, set, multi-get, many clients
    at once, bad input, where sets and gets go, what it does when a server is slow, down and back,
    and how it ends. For each fault a sentence says what is wrong, with the first wrong byte of the
    reply, and `lab try` writes a Python program that shows the fault and prints the commands that
    run it (docs/middlewares.md). A local lab that is down is started for the trial. Exit status 1
    if there is a fault.
    """
    path = find_middleware_file(middleware, [Path.cwd()])
    wanted = read_middleware_file(path)
    folder = programs or Path("build/try") / wanted.name
    with lab_up(fleet):
        inventory = Inventory.read(inventory_path(fleet))
        used = [*inventory.take("middlewares", 1), *inventory.take("servers", 3)]
        if not allow_public:
            require_private(used, inventory.path)
        with sole_controller(inventory, used, f"lab try {middleware}") as leases:
            tools = provision(leases.fleet, used)
            open_bench = partial(open_on_hosts, leases.fleet, tools, wanted, path.parent)
            if keep:
                _keep(open_bench, next(group for group in GROUPS if group.name == keep))
                return
            findings = list(map(_told, try_middleware(open_bench)))
    remove_programs(folder)
    again = shlex.join(["lab", "try", middleware, "--fleet", fleet, *_PUBLIC[:allow_public]])
    findings = [_shown(finding, inventory, wanted, fleet, folder, again) for finding in findings]
    say(findings_table(findings))
    sys.exit(FAULTY if any(f.verdict == Verdict.FAULT for f in findings) else 0)


def _keep(open_bench: Callable[..., AbstractContextManager[object]], group: Group) -> None:
    """Keep the middleware of a group running until the user interrupts."""
    with open_bench(group.num_servers, sharded=group.sharded, limit_s=_KEPT_S):
        say(f"running ({group.title.lower()}) for an hour, or until Ctrl-C")
        threading.Event().wait(_KEPT_S)


def _shown(
    finding: Finding,
    inventory: Inventory,
    middleware: Middleware,
    fleet: str,
    folder: Path,
    again: str,
) -> Finding:
    """Write the program of a fault, and name the commands that show the fault."""
    if finding.verdict is not Verdict.FAULT:
        return finding
    start = f"{again} --keep {finding.group.name}"
    place = place_on_hosts(inventory, middleware, finding.group.num_servers, start)
    needs_ssh = fleet != LOOPBACK
    stops_servers = any(question.stops_servers for question in finding.asked)
    if needs_ssh and stops_servers:
        place = from_here(place, inventory)
    path = write_program(finding, place, folder, PATIENCE_S)
    run = f"python3 -I {shlex.quote(str(path))}"
    if needs_ssh and not stops_servers:
        host = inventory.take("middlewares", 1)[0]
        run = f"{ssh_command(host)} python3 -I - < {shlex.quote(str(path))}"
    return replace(finding, how_to_see=[f"start it: {start}", f"show it:  {run}"])


def _told(finding: Finding) -> Finding:
    """Show that a question is answered."""
    say(f"{finding.question}: {finding.answer.text}", err=True)
    return finding
