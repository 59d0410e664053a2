"""When the programs of a run stood still: by themselves, or because they were stopped."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from analysis.results.files import find_file
from analysis.results.followed import read_pauses
from analysis.results.manifests import read_manifest
from analysis.traces.host_clocks import NS_PER_S, host_clocks, seconds_since
from analysis.traces.on_the_wire import is_only_captured
from records.manifest import Manifest

COLUMNS = ["host", "process", "start_s", "length_s", "cause"]
MIDDLEWARE, SERVER = "middleware", "server"
GARBAGE_COLLECTION, STOPPED = "gc", "stopped"


def host_pauses(folder: Path | str) -> pd.DataFrame:
    """List when the programs of a run stood still, in the order of time.

    Columns: `host`, `process` (``middleware``, ``memtier-0``, ``server``), `start_s` (0 where the
    stable window begins), `length_s`; seconds of the clock. `cause`: ``gc: <collector>``,
    ``hiccup`` (a sleeping thread was woken up late) or ``stopped`` (on purpose). Generators and
    middlewares notice by themselves that they stood still; of servers only the section's own
    `pauses` are known, and a black box tells nothing.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    clocks = host_clocks(manifest)
    parts = [_stopped(manifest)]
    parts += [
        read_pauses(path).assign(host=host, process=process)
        for host, process, path in _files(folder, manifest)
    ]
    frame = pd.concat(parts, ignore_index=True)
    for name, rows in frame.groupby("host"):
        stamps_ns = rows["start_ns"]
        frame.loc[rows.index, "start_s"] = seconds_since(
            stamps_ns, manifest, clocks[str(name)], read_ns=stamps_ns
        )
    frame["length_s"] = frame["length_ns"] / NS_PER_S
    return frame.reindex(columns=COLUMNS).sort_values("start_s", ignore_index=True)


def _files(folder: Path, manifest: Manifest) -> Iterator[tuple[str, str, Path]]:
    for host in manifest.roles.middlewares:
        if not is_only_captured(folder / host):
            yield host, MIDDLEWARE, find_file(folder / host / "middleware", "pauses.csv")
    for host in manifest.roles.clients:
        for instance in range(manifest.instances_per_client):
            process = f"memtier-{instance}"
            yield host, process, find_file(folder / host, f"{process}-pauses.csv")


def _stopped(manifest: Manifest) -> pd.DataFrame:
    """Servers that were stopped on purpose."""
    rows = [
        {
            "host": pause.host,
            "process": SERVER,
            "start_ns": round(pause.began_epoch_s * NS_PER_S),
            "length_ns": round((pause.ended_epoch_s - pause.began_epoch_s) * NS_PER_S),
            "cause": STOPPED,
        }
        for pause in manifest.pauses
    ]
    columns = {"host": "str", "process": "str", "start_ns": "int64", "length_ns": "int64"}
    return pd.DataFrame(rows, columns=[*columns, "cause"]).astype(columns)
