"""Followed requests of a run: what client, middleware and servers stamped, joined in one table.

Both ends of a connection know the client's address and port, and number its requests in the order
in which they are sent. So rows of a middleware and of the generators that send to it belong
together where these agree.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.results.files import find_file
from analysis.results.followed import read_followed_by_generator, read_followed_by_middleware
from analysis.results.manifests import read_manifest
from analysis.results.packets import PACKETS
from analysis.traces.host_clocks import NS_PER_S, HostClock, host_clocks, seconds_since
from analysis.traces.joining import join_nested, server_names
from analysis.traces.on_the_wire import is_only_captured, read_stamps_of_packets, with_packets
from analysis.units import MS_PER_S
from records.manifest import Manifest

STAGES = (
    "link_there",
    "preprocessing_time",
    "queueing_time",
    "sending_time",
    "servers_time",
    "replying_time",
    "link_back",
)
"""What a request passes, in this order, from its sending to its reply; columns end in ``_ms``."""
_STAMPS = ("first_byte", "enqueued", "dequeued", "servers_sent", "servers_answered", "replied")
_OF_MIDDLEWARE = ("first_byte", "enqueued", "dequeued", "replied")
_KEY = ["client", "number", "middleware"]


def followed_requests(folder: Path | str) -> pd.DataFrame:
    """Join what was followed in a run: one row per request, in the order of sending.

    Times are those of the clock, brought to that of the control host (`host_clocks`). Stages follow
    each other: to the first byte at the middleware (`link_there`, with the wait until it is read),
    until it is queued (`preprocessing_time`), until a worker takes it (`queueing_time`), until the
    first server has been sent all of it (`sending_time`), until the last has answered
    (`servers_time`, with the links to them), until the reply is out (`replying_time`), and until
    the client has read it (`link_back`). They add up to the response time, however far clocks are
    off: that moves time from one link to the other. A reply is stamped when it is handed over; a
    client that has read it before that stamp read it at once.

    Of a middleware that follows nothing itself packets tell, where they were captured: all between
    a request's first byte and the first server that is asked is then `queueing_time`.

    Columns: `client`, `number`, `client_host`, `instance`, `middleware` (host), `worker`,
    `request_type`, `outcome`; `sent_s` (0 where the stable window begins), `stable`, `intended_ms`
    (missing where nothing said when to send), `first_byte_ms`, `enqueued_ms`, `dequeued_ms`,
    `servers_sent_ms`, `servers_answered_ms`, `replied_ms`, all since the client has sent it;
    `response_time_ms`, the `STAGES`, `stages_sum_ms`, `balance_ms` (response time less that sum);
    `servers` (tuple of names), `server_sent_ms`, `server_answered_ms` (tuples), `slowest_server`;
    `clock_bound_ms` (of both clocks), and `beyond_clock_bound`: a link took less than no time, by
    more than the clocks explain. `worker` is -1 where none is known. Where packets were captured
    also what `on_the_wire.with_packets` adds.

    Parameters
    ----------
    folder
        Of a run with a middleware and the setting ``follow``.

    Raises
    ------
    ParseError
        A file is missing or damaged.
    ValueError
        Nothing was followed at both ends, or the hosts' clocks are not known.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    clocks = host_clocks(manifest)
    sent, passed = _sent(folder, manifest, clocks), _passed(folder, manifest, clocks)
    requests = with_packets(_with_stages(_joined(sent, passed)), folder, manifest, clocks)
    bounds_s = {host: clock.bound_s for host, clock in clocks.items()}
    bound_s = requests["client_host"].map(bounds_s) + requests["middleware"].map(bounds_s)
    shorter_ms = requests[["link_there_ms", "link_back_ms"]].min(axis="columns")
    window = manifest.stable
    return requests.assign(
        stable=requests["sent_s"].between(0, window.stable_s, inclusive="left"),
        clock_bound_ms=bound_s * MS_PER_S,
        beyond_clock_bound=shorter_ms < -bound_s * MS_PER_S,
    )


def _sent(folder: Path, manifest: Manifest, clocks: Mapping[str, HostClock]) -> pd.DataFrame:
    """Read what the generators followed."""
    parts = []
    for host in manifest.roles.clients:
        for instance in range(manifest.instances_per_client):
            path = find_file(folder / host, f"memtier-{instance}-followed.csv")
            rows = read_followed_by_generator(path)
            for stamp, column in {"sent": "sent", "received": "last_byte"}.items():
                stamps_ns, read_ns = rows[f"{column}_ns"], rows["sent_ns"]
                rows[f"{stamp}_s"] = seconds_since(
                    stamps_ns, manifest, clocks[host], read_ns=read_ns
                )
            early_s = (rows["intended_ns"] - rows["sent_ns"]) / NS_PER_S
            rows["intended_ms"] = (early_s * MS_PER_S).astype("float64")
            target = manifest.targets[host][instance]
            parts.append(rows.assign(client_host=host, instance=instance, middleware=target))
    kept = [*_KEY, "client_host", "instance", "outcome", "sent_s", "received_s", "intended_ms"]
    return pd.concat(parts, ignore_index=True)[kept]


def _passed(folder: Path, manifest: Manifest, clocks: Mapping[str, HostClock]) -> pd.DataFrame:
    """Read what the middlewares followed."""
    parts = []
    for host in manifest.roles.middlewares:
        if is_only_captured(folder / host):
            directory = folder / host / PACKETS
            rows = read_stamps_of_packets(directory)
        else:
            directory = folder / host / "middleware"
            rows = read_followed_by_middleware(find_file(directory, "followed.csv"))
        read_ns = rows["first_byte_ns"]
        for stamp in _OF_MIDDLEWARE:
            stamps_ns = rows[f"{stamp}_ns"]
            rows[f"{stamp}_s"] = seconds_since(stamps_ns, manifest, clocks[host], read_ns=read_ns)
        names = server_names(directory, manifest.roles.servers)
        rows["servers"] = [tuple(names.get(n, n) for n in each) for each in rows["servers"]]
        parts.append(rows.assign(middleware=host))
    if not parts:
        raise ValueError(f"{folder}: a run without a middleware has nothing to join")
    return pd.concat(parts, ignore_index=True)


def _joined(sent: pd.DataFrame, passed: pd.DataFrame) -> pd.DataFrame:
    pairs = join_nested(sent, passed, _KEY, ("sent_s", "received_s"), ("first_byte_s", "replied_s"))
    if pairs.empty:
        raise ValueError(
            f"no request was followed at both ends: {len(sent)} by generators, {len(passed)} by "
            "middlewares; the setting follow has to be that of both"
        )
    return pairs.sort_values("sent_s", ignore_index=True)


def _with_stages(pairs: pd.DataFrame) -> pd.DataFrame:
    times = {f"{s}_ms": (pairs[f"{s}_s"] - pairs["sent_s"]) * MS_PER_S for s in _OF_MIDDLEWARE}
    first_ms, first_ns = times["first_byte_ms"], pairs["first_byte_ns"]
    for name in ("sent", "answered"):
        times[f"server_{name}_ms"] = pd.Series(
            [
                tuple(start_ms + (stamp - start_ns) / NS_PER_S * MS_PER_S for stamp in stamps)
                for start_ms, start_ns, stamps in zip(
                    first_ms, first_ns, pairs[f"{name}_ns"], strict=True
                )
            ],
            dtype=object,
        )
    idle_ms = times["dequeued_ms"]  # where no server was asked
    begun, done = times["server_sent_ms"], times["server_answered_ms"]
    times["servers_sent_ms"] = begun.map(lambda t: min(t, default=np.nan)).fillna(idle_ms)
    times["servers_answered_ms"] = done.map(lambda t: max(t, default=np.nan)).fillna(idle_ms)
    times["response_time_ms"] = (pairs["received_s"] - pairs["sent_s"]) * MS_PER_S
    read_ms = times["response_time_ms"].clip(lower=times["servers_answered_ms"])
    times["replied_ms"] = times["replied_ms"].clip(upper=read_ms)
    bounds = [
        pairs["sent_s"] * 0,
        *(times[f"{stamp}_ms"] for stamp in _STAMPS),
        times["response_time_ms"],
    ]
    stages = {
        f"{stage}_ms": later - earlier
        for stage, earlier, later in zip(STAGES, bounds[:-1], bounds[1:], strict=True)
    }
    sum_ms = pd.DataFrame(stages).sum(axis="columns")
    kept = [*_KEY, "client_host", "instance", "worker", "request_type", "outcome"]
    return pairs[[*kept, "sent_s", "intended_ms", "servers"]].assign(
        **times,
        **stages,
        stages_sum_ms=sum_ms,
        balance_ms=times["response_time_ms"] - sum_ms,
        slowest_server=[_slowest(*row) for row in zip(pairs["servers"], begun, done, strict=True)],
    )


def _slowest(servers: Sequence[str], sent: Sequence[float], answered: Sequence[float]) -> str:
    """Return the server that took longest; empty where none was asked."""
    taken = [(end - start, name) for name, start, end in zip(servers, sent, answered, strict=True)]
    return max(taken)[1] if taken else ""
