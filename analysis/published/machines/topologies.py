r"""`python -m analysis.published.machines.topologies schmid2018`: write a study's topology.

Its hosts have the processors that were fitted (`analysis.published.machines.five_numbers`), which
the lab emulates: servers that complete :math:`\mu_1 j^a` sets per second where j wait, the slowest
of three fewer, and middlewares that take their time for each set and each server it goes to. So
they are as slow on any machine, which no quota of its CPU time makes them.
"""

import argparse
import pandas as pd

from analysis.paths import PROJECT
from analysis.published.machines.fit import fit
from analysis.published.machines.five_numbers import Machines
from analysis.published.machines.printed_sets import STUDIES, set_cells
from analysis.published.one_link import NETWORK_DELAY_S
from analysis.units import MS_PER_S, US_PER_MS

AZURE = PROJECT / "remote" / "providers" / "local_lab" / "topologies" / "azure.toml"
_US_PER_S = US_PER_MS * MS_PER_S
_HEAD = """\
# The hosts of azure.toml with the processors that were fitted to {study}'s sets, by
# `python -m analysis.published.machines.topologies {study}`.
"""
_PROCESSORS = {
    "middlewares": "processor = {{ reply_us = {0:.1f}, forward_us = {1:.1f} }}",
    "servers": "processor = {{ reply_us = {2:.1f}, exponent = {3:.3f} }}",
}
_SLOWEST = "[servers.own.s3]\nprocessor = {{ reply_us = {4:.1f}, exponent = {3:.3f} }}\n"


def topology_text(azure: str, study: str) -> str:
    """Write the file of a topology: that of Azure's hosts, with a study's processors.

    Parameters
    ----------
    azure
        The text of azure.toml.
    study
        Of `analysis.published.machines.printed_sets.STUDIES`.
    """
    fitted = fitted_machines(study)
    alone_us = _US_PER_S / fitted.alone_per_s
    numbers = (
        fitted.middleware_s * _US_PER_S,
        fitted.forwarding_s * _US_PER_S,
        alone_us,
        fitted.exponent,
        alone_us * fitted.slowest,
    )
    lines = [line for line in azure.splitlines() if not line.startswith("#")]
    body = "\n".join(lines).strip().replace('name = "azure"', f'name = "{study}"')
    body = body.replace("rtt_ms = 0.9", f"rtt_ms = {2 * NETWORK_DELAY_S * MS_PER_S:g}")
    for role, processor in _PROCESSORS.items():
        body = body.replace(f"[{role}]\n", f"[{role}]\n{processor.format(*numbers)}\n")
    return f"{_HEAD.format(study=study)}{body}\n\n{_SLOWEST.format(*numbers)}"


def fitted_machines(study: str) -> Machines:
    """Fit the machines of a study to all its cells with middlewares: nothing is to be predicted."""
    cells = set_cells()
    numbers = fit(cells, chosen=cells["middlewares"] > 0).numbers
    own: pd.Series = numbers[numbers["study"] == study].set_index("number")["value"]
    return Machines(**{str(name): float(value) for name, value in own.items()})


def _main() -> None:
    parser = argparse.ArgumentParser(description="Write the topology of a study's machines.")
    parser.add_argument("study", choices=STUDIES)
    print(topology_text(AZURE.read_text(), parser.parse_args().study), end="")


if __name__ == "__main__":
    _main()
