r"""`python -m analysis.published.machines.quotas schmid2018 --campaign mine`: write a topology.

Its servers have quotas of CPU time by which they complete as many sets per second as a study's do
under load:

.. math:: q = \mu_1 j^a D

with j sets that wait and what was fitted (`analysis.published.machines.five_numbers`), and the CPU
time D of a set on this machine, by a campaign that was measured on it: quotas of another machine
are others. The slowest of three servers has as much less as the study's. Middlewares have none: a
JVM with a quota is still compiling when it is measured, and three servers cost it more of its time
than they cost the studies'.
"""

import argparse
from dataclasses import dataclass

import pandas as pd

from analysis.models.measured import cpu_time
from analysis.paths import PROJECT, campaign_dir
from analysis.published.machines.fit import GROWING
from analysis.published.machines.five_numbers import Machines
from analysis.published.machines.printed_sets import STUDIES
from analysis.published.machines.shown import machines
from analysis.tables.frames import Tables
from analysis.tables.held import held_tables
from analysis.text.numbers import short

AZURE = PROJECT / "remote" / "providers" / "local_lab" / "topologies" / "azure.toml"
HELD = 64  # sets at a server, as many as a middleware has workers in the studies' sections 3 and 4
_SYSTEM = {"workload": "set", "num_middlewares": 1, "num_servers": 1}
_HEAD = """\
# The hosts of azure.toml, servers with quotas of CPU time: they complete sets as fast as those of
# {study} did under load, on a machine on which a set takes {set_us} µs of a server's CPU;
# `python -m analysis.published.machines.quotas {study}` makes the file for another one.
"""


@dataclass(frozen=True, kw_only=True)
class Quotas:
    """CPUs that servers may use in undilated time; `slowest` is that of the slowest of three."""

    server: float
    slowest: float


def set_time(tables: Tables) -> float:
    r"""Find the seconds of the clock that a set takes of a server's CPU, :math:`D = k U / X`.

    That is of one server behind one middleware of most workers under the largest load: a server
    that computes all the time wakes up seldom. The clock runs k times as long as the system's time.

    Raises
    ------
    ValueError
        There are no such runs, or they do not tell the CPU time of the server.
    """
    runs, hosts = tables.runs, tables.hosts
    for name, level in _SYSTEM.items():
        runs = runs[runs[name] == level] if name in runs else runs
    if "workers" in runs and len(runs):
        for name in ("workers", "num_clients"):  # of one section, whose runs have one time dilation
            runs = runs[runs[name] == runs[name].max()]
        found = cpu_time(runs, hosts, "servers") * float(runs["time_dilation"].mean())
        if found:
            return found
    raise ValueError(
        "no sets through one middleware to one server, with the CPU time of each host: as root, "
        "`lab run 3.1 --profile smoke --own-lab` measures them"
    )


def quotas(fitted: Machines, set_time_s: float) -> Quotas:
    """Return the CPUs with which servers complete sets as those of a study do under load."""
    server = fitted.alone_per_s * HELD**fitted.exponent * set_time_s
    return Quotas(server=server, slowest=server / fitted.slowest)


def topology_text(azure: str, study: str, set_time_s: float) -> str:
    """Write the file of a topology: that of Azure's hosts, with quotas for those of a study.

    Parameters
    ----------
    azure
        The text of azure.toml.
    study
        Of `analysis.published.machines.printed_sets.STUDIES`.
    set_time_s
        From `set_time`.
    """
    own = quotas(fitted_machines(study), set_time_s)
    lines = [line for line in azure.splitlines() if not line.startswith("#")]
    body = "\n".join(lines).strip().replace('name = "azure"', f'name = "{study}"')
    body = body.replace("[servers]\n", f"[servers]\ncpu_quota = {own.server:.3f}\n")
    head = _HEAD.format(study=study, set_us=short(1e6 * set_time_s))
    return f"{head}{body}\n\n[servers.own.s3]\ncpu_quota = {own.slowest:.3f}\n"


def fitted_machines(study: str) -> Machines:
    """Return the machines of a study as they were fitted."""
    numbers = machines()[GROWING].numbers
    own: pd.Series = numbers[numbers["study"] == study].set_index("number")["value"]
    return Machines(**{str(name): float(value) for name, value in own.items()})


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write the topology of a study's machines.")
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument(
        "--campaign",
        default="smoke",
        help="measured on this machine, with sets through one middleware to one server",
    )
    parser.add_argument("--section", default="3.1", help="where those stand")
    asked = parser.parse_args()
    try:
        set_time_s = set_time(held_tables(campaign_dir(asked.campaign), asked.section))
    except (ValueError, FileNotFoundError) as exc:
        parser.error(str(exc))
    print(topology_text(AZURE.read_text(), asked.study, set_time_s), end="")


if __name__ == "__main__":
    _main()
