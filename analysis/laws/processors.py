"""What processors did: their time as user, as system, in soft interrupts, and what is neither."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.laws.bottlenecks import ROLES

MACHINE = "machine"
_PARTS = ["cpu_user_percent", "cpu_system_percent", "cpu_softirq_percent"]


def processor_table(hosts: pd.DataFrame, by: Sequence[str] = ("workload",)) -> pd.DataFrame:
    """Split the CPU time of each role's hosts at the largest load of each system.

    One row per system and role, means over hosts and repetitions: `by`, `num_clients`, `role`
    (``client``, ..., or ``machine`` where hosts share one), `cpu_percent`, `cpu_user_percent`,
    `cpu_system_percent`, `cpu_softirq_percent` (only where the monitor told interrupts apart; else
    they are in the user's), and `cpu_other_percent`, what is neither: other interrupts, and what
    other guests of a virtual machine's host took.
    """
    system = list(by)
    parts = [part for part in _PARTS if part in hosts]
    largest = hosts.groupby(system)["num_clients"].transform("max")
    rows = hosts[hosts["num_clients"] == largest]
    owner = rows["role"].map(ROLES).mask(rows["shares_machine"].astype(bool), MACHINE)
    means = (
        rows.assign(role=owner)
        .groupby([*system, "num_clients", "role"], as_index=False)[["cpu_percent", *parts]]
        .mean()
    )
    rest = means["cpu_percent"] - means[parts].sum(axis="columns")
    return means.assign(cpu_other_percent=rest.clip(lower=0))
