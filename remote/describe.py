"""What a section measures, as the configuration table that opens it in the report."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from remote.section import Section

WORKLOADS = {"set": "write-only (set)", "get": "read-only (get)"}


def configuration_table(section: Section) -> pd.DataFrame:
    """Return the configuration of a section under load in the studies' layout.

    Returns
    -------
    pandas.DataFrame
        Columns `parameter`, `value`, both text.
    """
    generator, durations, hosts = section.generator, section.durations, section.hosts
    levels = section.factors["clients_per_thread"]
    threads = hosts["clients"] * generator.instances_per_client * generator.threads_per_instance
    rows = {
        "Number of servers": hosts["servers"],
        "Number of client machines": hosts["clients"],
        "Instances of memtier per machine": generator.instances_per_client,
        "Threads per memtier instance": generator.threads_per_instance,
        "Virtual clients per thread": _list(levels),
        "Total number of clients": _list(threads * int(level) for level in levels),
        "Workload": " and ".join(WORKLOADS[str(w)] for w in section.factors["workload"]),
        "Value size": f"{generator.value_bytes} B",
        "Key space": f"{generator.key_count} keys",
        "Number of middlewares": hosts["middlewares"] or "none",
        "Worker threads per middleware": _list(section.factors.get("workers", ("none",))),
        "Repetitions": f"{durations.repetitions}, {durations.stable_s} s stable each",
        "Warm-up and cool-down": f"{durations.warm_up_s} s and {durations.cool_down_s} s",
    }
    return pd.DataFrame({"parameter": rows.keys(), "value": [str(v) for v in rows.values()]})


def _list(levels: Iterable[object]) -> str:
    return ", ".join(str(level) for level in levels)
