"""What a section measures, as the configuration table that opens it in the report."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from records.settings import DEFAULTS, FACTORS, SETTINGS, Level, Settings
from records.text.words import grouped
from remote.experiment.section import Section, level_text

WORKLOADS = {
    "set": "write-only (set)",
    "get": "read-only (get)",
    "multi-get": "mixed, ratio 1:<multi-get size>",
    "mixed": "mixed, ratio {ratio}",
    "queue": "messages in queues, {queue_mix}",
}
NONE = "none"
_LAYOUT = (  # the studies' order
    *("num_servers", "client_hosts", "instances_per_client", "threads_per_instance"),
    *("clients_per_thread", "num_clients", "workload", "pipeline", "arrival_rate_per_s"),
    *("multi_get_keys", "sharded", "think_time_s", "sending_rate_per_s", "value_bytes"),
    *("key_bytes", "backend", "queues", "queue_mix", "receivers", "num_databases", "locks"),
    *("synchronous_commit", "autovacuum", "queued_messages", "key_count", "num_middlewares"),
    *("workers", "middleware", "routing", "dispatch", "transport", "depth", "replicas"),
)
_UNLESS_DEFAULT = {  # the settings of which one has to differ from its default for a row of the key
    **{name: (name,) for name in ("pipeline", "arrival_rate_per_s", "multi_get_keys")},
    **{name: (name,) for name in ("think_time_s", "sending_rate_per_s", "key_bytes", "receivers")},
    **{name: (name,) for name in ("middleware", "transport", "depth")},
    **{name: ("routing", "dispatch") for name in ("routing", "dispatch")},
    **{"sharded": ("multi_get_keys",), "queue_mix": ()},  # the row of the workload has the mix
}
_LABELS = {"client_hosts": "Number of client machines", "num_clients": "Total number of clients"}
_WITH_LEVEL = ("B", "keys")  # units that stand behind each level


def configuration_table(*sections: Section) -> pd.DataFrame:
    """Return the configuration of sections under load in the studies' layout.

    Where configurations differ, all levels are listed; levels that no study had are marked ``+``.

    Returns
    -------
    pandas.DataFrame
        `parameter`, and a column of text for each section, named by its number; one section's is
        `value`.
    """
    columns = {section.name: _configuration(section) for section in sections}
    parameters = list(dict.fromkeys(name for rows in columns.values() for name in rows))
    table = pd.DataFrame(columns, index=parameters).fillna(NONE)
    table.columns = ["value"] if len(sections) == 1 else [f"section {name}" for name in columns]
    return table.rename_axis("parameter").reset_index()


def _configuration(section: Section) -> dict[str, str]:
    settings = [section.settings(config) for config in section.configs()]
    rows = {}
    for name in dict.fromkeys((*_LAYOUT, *FACTORS)):
        among = [one for one in settings if one.applies(name)]
        if name == "arrival_rate_per_s" and any(one.is_open for one in among):
            rows["Arrivals"] = "Poisson, independent of replies"
            among.sort(key=lambda one: one.arrival_rate_per_s or 0)
        if name == "workers" or (among and _is_told(name, section, among)):
            levels = dict.fromkeys(_texts(name, among, section.extra.get(name, ())))
            rows[_label(name)] = (" and " if name == "workload" else ", ").join(levels) or NONE
    if section.precision is not None:
        fewest, most = section.precision.repetitions
        repetitions = str(fewest) if fewest == most else f"{fewest} to {most}"
        rows["Repetitions"] = f"{repetitions}, until {section.precision.text()}"
    else:
        durations = section.fixed
        rows["Repetitions"] = (
            f"{durations.repetitions}, {durations.stable_s:g} s stable each, after "
            f"{durations.warm_up_s:g} s and before {durations.cool_down_s:g} s"
        )
    if section.pauses:
        rows["Server pauses"] = "; ".join(
            f"server {p.server} at {p.at_s:g} s for {p.for_s:g} s" for p in section.pauses
        )
    return rows


def _is_told(name: str, section: Section, among: Iterable[Settings]) -> bool:
    """Tell whether a table needs the row of a setting, which some of the runs have."""
    if name not in _LAYOUT:
        return name in section.factors
    if name not in _UNLESS_DEFAULT:
        return True
    return any(
        getattr(one, by) and getattr(one, by) != getattr(DEFAULTS, by)
        for by in _UNLESS_DEFAULT[name]
        for one in among
    )


def _label(name: str) -> str:
    if name in _LABELS:
        return _LABELS[name]
    setting = SETTINGS[name]
    return setting.label if setting.unit in _WITH_LEVEL else setting.heading


def _texts(name: str, among: Iterable[Settings], extra: Iterable[Level]) -> Iterable[str]:
    """Return the levels of a setting in words."""
    for one in among:
        level = getattr(one, name)
        if name == "workload":
            yield WORKLOADS[level].format(ratio=one.ratio, queue_mix=one.queue_mix)
        elif name == "sharded":
            yield "sharded" if level else "non-sharded"
        elif name == "think_time_s":
            yield f"{level or 0:g}"
        elif name == "num_middlewares" and not level:
            yield NONE
        elif level is not None:
            unit = SETTINGS[name].unit if name in SETTINGS else ""
            text = f"{grouped(level)} {unit}" if unit in _WITH_LEVEL else level_text(level)
            yield f"{text}{'+' if level in extra else ''}"
