"""`lab try`: what a middleware supports, and what is wrong with it."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from remote.commands.of_fleets import lab_up
from remote.commands.shared_options import fleet_option, public_option
from remote.conformance.finding import Finding, Verdict
from remote.conformance.on_hosts import open_on_hosts
from remote.conformance.trying import findings_table, try_middleware
from remote.hosts.inventory import Inventory
from remote.hosts.provision import provision
from remote.hosts.public import require_private
from remote.providers.fleets import LOCAL, inventory_path
from remote.providers.sole_control import sole_controller
from remote.services.middleware_file import find_middleware_file, read_middleware_file

FAULTY = 1


@click.argument("middleware", metavar="NAME|FILE")
@fleet_option
@public_option
def try_(middleware: str, fleet: str, allow_public: bool) -> None:
    """Ask a middleware, such as mine.toml or nutcracker, what it supports, and show a table.

    It is started with one memcached, and with three: get, set, multi-get, many clients at once,
    bad input, where sets and gets go, what it does when a server is slow, down and back, and how
    it ends. Of what is wrong a sentence says where, with a command to see it oneself
    (docs/middlewares.md). A local lab that is down is started for it. Exit status 1 if there is a
    fault.
    """
    path = find_middleware_file(middleware, [Path.cwd()])
    wanted = read_middleware_file(path)
    with lab_up(fleet):
        inventory = Inventory.read(inventory_path(fleet))
        used = [*inventory.take("middlewares", 1), *inventory.take("servers", 3)]
        if not allow_public:
            require_private(used, inventory.path)
        with sole_controller(inventory, used, f"lab try {middleware}") as leases:
            tools = provision(leases.fleet, used)
            open_bench = partial(open_on_hosts, leases.fleet, tools, wanted, path.parent)
            client = inventory.take("clients", 1)[0]
            prefix = f"lab shell {client.name}" if fleet == LOCAL else f"ssh {client.address}"
            findings = list(map(_told, try_middleware(open_bench, prefix=prefix)))
    click.echo(findings_table(findings))
    sys.exit(FAULTY if any(f.verdict == Verdict.FAULT for f in findings) else 0)


def _told(finding: Finding) -> Finding:
    """Show that a question is answered."""
    click.echo(f"{finding.question}: {finding.answer}", err=True)
    return finding
