r"""`python -m analysis.studies.machines.topologies schmid2018`: write a study's topology.

Its hosts have the processors that were fitted (`analysis.studies.machines.five_numbers`), which
the lab emulates: servers that complete :math:`\mu_1 j^a` sets per second where j wait, the slowest
of three fewer, and middlewares that take their time for each set and each server it goes to. So
they are as slow on any machine, which no quota of its CPU time makes them. Khalil's is one number
and a round trip (`analysis.studies.machines.khalils_server`).
"""

import argparse
from functools import cache

import pandas as pd

from analysis.studies.machines import khalils_server
from analysis.studies.machines.fit import fit
from analysis.studies.machines.five_numbers import Machines
from analysis.studies.machines.printed_sets import STUDIES, set_cells
from analysis.studies.one_link import NETWORK_DELAY_S
from analysis.units import MS_PER_S, US_PER_MS
from records.paths import PROJECT

AZURE = PROJECT / "remote" / "providers" / "local_lab" / "topologies" / "azure.toml"
KNOWN = (*STUDIES, khalils_server.STUDY)
_US_PER_S = US_PER_MS * MS_PER_S
_HEAD = """\
# The hosts of azure.toml with the processors that were fitted to what {study} printed, by
# `python -m analysis.studies.machines.topologies {study}`.
"""
_AZURES_RTT = "rtt_ms = 0.9"


def topology_text(azure: str, study: str) -> str:
    """Write the file of a topology: that of Azure's hosts, with a study's processors."""
    lines = [line for line in azure.splitlines() if not line.startswith("#")]
    body = "\n".join(lines).strip().replace('name = "azure"', f'name = "{study}"') + "\n"
    of_study = _khalils if study == khalils_server.STUDY else _fitted
    return _HEAD.format(study=study) + of_study(body, study)


def fitted_machines(study: str) -> Machines:
    """Fit the machines of a study to all its cells with middlewares: nothing is to be predicted."""
    numbers = _numbers()
    own: pd.Series = numbers[numbers["study"] == study].set_index("number")["value"]
    return Machines(**{str(name): float(value) for name, value in own.items()})


@cache
def _numbers() -> pd.DataFrame:
    cells = set_cells()
    return fit(cells, chosen=cells["middlewares"] > 0).numbers


def _fitted(body: str, study: str) -> str:
    fitted = fitted_machines(study)
    alone_us = _US_PER_S / fitted.alone_per_s
    servers = f"{{ reply_us = {alone_us:.1f}, exponent = {fitted.exponent:.3f} }}"
    slowest = f"{{ reply_us = {alone_us * fitted.slowest:.1f}, exponent = {fitted.exponent:.3f} }}"
    middlewares = (
        f"{{ reply_us = {fitted.middleware_s * _US_PER_S:.1f}, "
        f"forward_us = {fitted.forwarding_s * _US_PER_S:.1f} }}"
    )
    body = body.replace(_AZURES_RTT, f"rtt_ms = {2 * NETWORK_DELAY_S * MS_PER_S:g}")
    for role, processor in (("middlewares", middlewares), ("servers", servers)):
        body = body.replace(f"[{role}]\n", f"[{role}]\nprocessor = {processor}\n")
    return f"{body}\n[servers.own.s3]\nprocessor = {slowest}\n"


def _khalils(body: str, _: str) -> str:
    """Write Khalil's: his servers are A2, as the clients of all studies are."""
    alone_us = _US_PER_S / khalils_server.requests_per_s()
    body = body.replace(_AZURES_RTT, f"rtt_ms = {khalils_server.round_trip_s() * MS_PER_S:.2f}")
    clients, servers = body.split("[servers]\n")
    egress = next(line for line in clients.splitlines() if line.startswith("egress"))
    hosts = servers.splitlines()[0]
    return f"{clients}[servers]\nprocessor = {{ reply_us = {alone_us:.1f} }}\n{hosts}\n{egress}\n"


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write the topology of a study's machines.")
    parser.add_argument("study", choices=KNOWN)
    print(topology_text(AZURE.read_text(), parser.parse_args().study), end="")


if __name__ == "__main__":
    _main()
