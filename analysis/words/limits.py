"""Which resource was the limit of which systems, in words."""

from collections.abc import Sequence

import pandas as pd

from analysis.laws.bottlenecks import limiting

_WORDS = {
    "num_servers": "{} server{s}",
    "num_middlewares": "{} middleware{s}",
    "workers": "{} worker{s}",
    "replicas": "R = {}",
}
_OF_A_MIDDLEWARE = ("workers", "replicas")  # 0 where there is none


def limit_sentences(utilizations: pd.DataFrame, factors: Sequence[str]) -> str:
    """Say of each workload which systems had the same limit.

    Workers are called the limit only where nothing that they wait for is busy.

    Parameters
    ----------
    utilizations
        From `analysis.laws.bottlenecks.utilization_table`, by ``workload`` and `factors`.

    Returns
    -------
    str
        Markdown, one list item per workload and limit.
    """
    lines = []
    for workload, rows in utilizations.groupby("workload"):
        systems: dict[str, list[str]] = {}
        for levels, system in rows.groupby(list(factors), dropna=False):
            named = ", ".join(
                _words(name, level)
                for name, level in zip(factors, levels, strict=True)
                if not pd.isna([level])[0] and not (level == 0 and name in _OF_A_MIDDLEWARE)
            )
            systems.setdefault(limit_of(system), []).append(named)
        lines += [
            f"- **Workload {workload}**, {limit}: {'; '.join(named)}."
            for limit, named in systems.items()
        ]
    return "\n".join(lines)


def limit_of(system: pd.DataFrame) -> str:
    """Name the busiest of the resources that limit one system (`bottlenecks.limiting`)."""
    limit = limiting(system)
    if len(limit):
        return f"limited by the {limit['resource'].iloc[0]}"
    if system["utilization"].isna().all():
        return "with nothing measured that could be the limit"
    return "with no resource busy all the time"


def _words(name: str, level: object) -> str:
    number = int(level) if isinstance(level, float) and level.is_integer() else level
    counted = "no" if number == 0 else number
    return _WORDS.get(name, f"{name} {{}}").format(counted, s="" if number in (0, 1) else "s")
