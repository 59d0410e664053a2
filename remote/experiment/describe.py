"""What a section measures, as the configuration table that opens it in the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from analysis.text.formatting import grouped
from remote.experiment.section import Section, level_text
from remote.experiment.settings import Level, Settings
from remote.services.middleware_file import OWN

WORKLOADS = {
    "set": "write-only (set)",
    "get": "read-only (get)",
    "multi-get": "mixed, ratio 1:<multi-get size>",
    "mixed": "mixed, ratio {ratio}",
    "queue": "messages in queues, {queue_mix}",
}
NONE = "none"


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
    proxied = [one for one in settings if one.num_middlewares]

    def levels(name: str, among: Iterable[Settings] = settings) -> str:
        found = list(dict.fromkeys(getattr(one, name) for one in among))
        return _list(found, section.extra.get(name, ()))

    def distinct(value: Callable[[Settings], object]) -> str:
        return ", ".join(dict.fromkeys(str(value(one)) for one in settings))

    on_queues = [one for one in settings if one.uses_queues]
    rows = {
        **({} if on_queues else {"Number of servers": levels("num_servers")}),
        "Number of client machines": levels("client_hosts"),
        "Instances of memtier per machine": levels("instances_per_client"),
        "Threads per memtier instance": levels("threads_per_instance"),
        "Virtual clients per thread": levels("clients_per_thread"),
        "Total number of clients": levels("num_clients"),
        "Workload": " and ".join(dict.fromkeys(_workload(one) for one in settings)),
    }
    if any(one.pipeline > 1 for one in settings):
        rows["Requests under way of a connection"] = levels("pipeline")
    if any(one.is_open for one in settings):
        rows["Arrivals"] = "Poisson, independent of replies"
        rates = {one.arrival_rate_per_s for one in settings if one.arrival_rate_per_s}
        rows["Arrival rate (per s)"] = _list(sorted(rates))
    if any(one.multi_get_keys for one in settings):
        rows["Multi-get size"] = levels("multi_get_keys")
        rows["Multi-get behaviour"] = distinct(
            lambda one: "sharded" if one.sharded else "non-sharded"
        )
    if any(one.think_time_s for one in settings):
        rows["Think time (s)"] = distinct(lambda one: f"{one.think_time_s or 0:g}")
    if any(one.sending_rate_per_s for one in settings):
        rows["Sending rate of a client (per s)"] = levels("sending_rate_per_s")
    rows["Value size"] = distinct(lambda one: f"{grouped(one.value_bytes)} B")
    if any(one.key_bytes for one in settings):
        rows["Key size"] = distinct(lambda one: f"{one.key_bytes} B")
    if on_queues:
        rows |= _of_queues(on_queues, levels)
    else:
        rows["Key space"] = distinct(lambda one: f"{grouped(one.key_count)} keys")
    rows |= {
        "Number of middlewares": distinct(lambda one: one.num_middlewares or NONE),
        "Worker threads per middleware": levels("workers", proxied) if proxied else NONE,
    }
    if any(one.middleware != OWN for one in proxied):
        rows["Middleware"] = levels("middleware", proxied)
    if any((one.routing, one.dispatch) != ("round-robin", "sequential") for one in proxied):
        rows["Routing"] = levels("routing", proxied)
        rows["Dispatch"] = levels("dispatch", proxied)
    if any(one.transport != "loop" for one in proxied):
        rows["Transport"] = levels("transport", proxied)
    if any(one.depth for one in proxied):
        rows["Requests under way of a client in a middleware"] = levels("depth", proxied)
    if any(one.routing == "consistent-hash" for one in proxied):
        rows["Replicas of each key"] = levels("replicas", proxied)
    if section.precision is not None:
        fewest, most = section.precision.repetitions
        rows["Measured until known"] = section.precision.text()
        rows["Repetitions"] = str(fewest) if fewest == most else f"{fewest} to {most}"
    else:
        durations = section.fixed
        rows["Repetitions"] = f"{durations.repetitions}, {durations.stable_s:g} s stable each"
        rows["Warm-up and cool-down"] = f"{durations.warm_up_s:g} s and {durations.cool_down_s:g} s"
    if section.pauses:
        rows["Server pauses"] = "; ".join(
            f"server {p.server} at {p.at_s:g} s for {p.for_s:g} s" for p in section.pauses
        )
    return rows


def _of_queues(settings: list[Settings], levels: Callable[..., str]) -> dict[str, str]:
    rows = {"Back end": levels("backend", settings), "Queues": levels("queues", settings)}
    if any(one.receivers for one in settings):
        rows["Receivers"] = levels("receivers", settings)
    kept = [one for one in settings if one.uses_databases]
    if kept:
        rows |= {
            "Number of databases": levels("num_databases", kept),
            "Locks": levels("locks", kept),
            "Synchronous commit": levels("synchronous_commit", kept),
            "Autovacuum": levels("autovacuum", kept),
            "Messages at the start": levels("queued_messages", kept),
        }
    return rows


def _workload(settings: Settings) -> str:
    return WORKLOADS[settings.workload].format(ratio=settings.ratio, queue_mix=settings.queue_mix)


def _list(levels: Iterable[Level | None], extra: Iterable[Level] = ()) -> str:
    return ", ".join(
        f"{level_text(level)}{'+' if level in extra else ''}"
        for level in levels
        if level is not None
    )
