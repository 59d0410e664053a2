"""The tidy tables of a campaign: ``data/<campaign>/tidy/<section>.zip``, a Parquet file each.

Tables without rows have no file. ``origin.json`` is what the tables were made from. The zip is not
compressed, because the tables are.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pandas.api.types import infer_dtype

from analysis.tables.column_kinds import wrong_column
from analysis.tables.without_rows import with_columns
from records.files.atomic import written_whole
from records.settings import FACTORS


@dataclass(frozen=True, kw_only=True, eq=False)
class Tables:
    """The tidy tables of a campaign.

    Every table but `rejected` begins with the run's key: `section`, one column per factor
    (`workload`, `clients_per_thread`, `workers`, ...; missing where a section does not vary it, or
    where a run cannot have it), `repetition`, `num_clients` (N: connections times `pipeline`),
    `time_dilation`. Where packets were captured, `observer` states the source of the middleware's
    values: ``stamps`` (the middleware's own time stamps) or ``packets`` (the captured packets). If
    a middleware has both sources, `is_second` marks the rows that were computed from packets.

    Attributes
    ----------
    runs
        One row per accepted run under load. `campaign`, `profile`, `generator`, `git_commit`,
        `started_at`, `campaign_seed`, `machine_share` (0..1, of the response cycle; missing where
        it was not recorded), `num_middlewares`, `num_servers`, `stable_s`, `think_time_s`
        (undilated; 0 where clients do not think, NaN where they send at a given rate);
        `client_throughput_ops_per_s`, `client_response_time_ms`,
        `client_response_time_p25_ms` ... `_p99_ms`, `_p99.9_ms`, and their standard errors
        `client_response_time_p25_error_ms` ..., estimated from the seconds of this run (missing
        above the 90th percentile, and where the run has too few requests or no histograms by
        second), `client_percentiles_stable` (false where the percentiles include warm-up and
        cool-down), `client_miss_rate` (0..1),
        `client_connection_errors`, `client_error_replies` and `client_loop_utilization` (0..1, of
        the busiest instance) and `client_unsent_arrivals` (open loop), all three only from the
        lab's own generator; the settings that the section does not vary (`SETTINGS`; the
        `workers` of a middleware that has none are as many as the section's most clients: none
        waits for one); with a
        middleware `middleware_arrival_rate_ops_per_s`,
        `middleware_throughput_ops_per_s`,
        `middleware_<time>_ms` (`analysis.tables.measures.MIDDLEWARE_TIMES`),
        `middleware_response_time_p25_ms` ... and their errors, `middleware_miss_rate`,
        `middleware_errors`, `middleware_jobs` (mean number of requests in the middleware and at the
        servers; computed from packets only),
        `middleware_queue_length`, `middleware_waiting_workers`, `middleware_worker_utilization`,
        `middleware_net_thread_utilization` (share of the time on a processor, 0..1; missing where
        the middleware does not record it), `middleware_cpu_cores`; and
        `client_cpu_percent`, `middleware_cpu_percent`, `server_cpu_percent`.
    request_types
        One row per accepted run, `side` and `request_type` (``get``, ``set``; at clients of queues
        ``send``, ``pop``, ``peek``, ``list``; at the middleware also ``multi-get-6`` and the like):
        `throughput_ops_per_s`, `response_time_ms`; at the middleware also `keys_per_request`,
        `miss_rate`, `errors` and its other times.
    windows
        One row per second and side: `side` (``client``, ``middleware``), `second_s` (0 where the
        stable window begins), `stable`, `throughput_ops_per_s`, `response_time_ms`; for the
        middleware also `queueing_time_ms`, `service_time_ms`, `queue_length`, `waiting_workers`,
        `gc_count`, `gc_time_ms`.
    servers
        One row per second and `server`, as the middlewares see it: `second_s`, `stable`,
        `throughput_ops_per_s`, `keys_per_request`, `response_time_ms`, `response_time_max_ms`.
    pauses
        Servers that were stopped on purpose: `host`, `start_s` (0 where the stable window begins),
        `length_s`; both in seconds of the clock. Other temporary changes of a host have a `kind`:
        ``open transaction``, a transaction that was left open in a database.
    histograms
        `side`, `request_type`, `time` (``response_time``, ``queueing_time``, ``service_time``),
        `upper_edge_ms`, `count`, `stable` (true for histograms of the stable window alone; false
        for those of the whole run, as memtier writes them); see
        `analysis.results.histograms.percentiles_by`.
    hosts
        `host`, `role`, `shares_machine`, `cpu_percent`, `cpu_user_percent`, `cpu_system_percent`,
        `cpu_softirq_percent` (missing where the monitor counted interrupts as user time),
        `cpu_steal_percent`, `send_mbit_per_s`, `receive_mbit_per_s`, `rate_mbit_per_s`,
        `send_link_utilization` (0..1). On the local lab all hosts share one machine
        (`shares_machine`), and the percentages are of the whole machine. Where some hosts have
        processors of their own (`own_processors`; missing where no host has any), `cpu_percent` is
        of the processors that the host may use. `cpu_s` (CPU seconds in the stable window) and
        `cpu_utilization` (0..1, of all CPUs that the host may use) are of the host alone, in
        seconds of the clock, dilated or not. Where a topology limits CPU time, `cpu_quota` is the
        number of CPUs that the host may use in undilated time (missing for hosts without a limit).
        Counters of the whole run, over all interfaces: `send_bytes`, `send_packets`, `send_drops`
        and the same for `receive_`.
    pings
        `source`, `target`, `source_role`, `target_role`, `replies`, `lost`,
        `round_trip_time_min_ms`, `_mean_ms`, `_p50_ms`, `_p99_ms`, `_max_ms`,
        `emulated_round_trip_time_ms` (of this pair; missing where no delay is emulated),
        `line_round_trip_time_ms` (the part of it that a calibrated delay line adds; missing where
        there is no delay line).
    bandwidths
        `source`, `target`, `source_role`, `target_role` (as in the inventory: ``clients``, ...),
        `bandwidth_mbit_per_s`, `limit_mbit_per_s`, `retransmits`.
    rejected
        One row per run that does not count: `section`, `run` (folder), `status`, `reason`.
    """

    runs: pd.DataFrame
    request_types: pd.DataFrame
    windows: pd.DataFrame
    servers: pd.DataFrame
    pauses: pd.DataFrame
    histograms: pd.DataFrame
    hosts: pd.DataFrame
    pings: pd.DataFrame
    bandwidths: pd.DataFrame
    rejected: pd.DataFrame


NAMES = tuple(field.name for field in fields(Tables))
REJECTED_COLUMNS = ("section", "run", "status", "reason")
_ORIGIN = "origin.json"
Origin = Mapping[str, str | int]


class DamagedTablesError(OSError):
    """The file of a section's tables is cut, altered or foreign."""


SETTINGS = tuple(name for name in FACTORS if name not in ("workload", "clients_per_thread"))
"""What may be a factor of a section beside `workload` and `clients_per_thread`."""


def read_tables(
    campaign_dir: Path | str,
    sections: Iterable[str] | None = None,
    *,
    all_observers: bool = False,
) -> Tables:
    """Return the tables that `tidy_campaign` wrote, without the run folders.

    Parameters
    ----------
    sections
        Names of sections, such as ``["2.1"]``; default: all that have tables.
    all_observers
        Keep the rows computed from packets for middlewares that also record their own time stamps.

    Raises
    ------
    DamagedTablesError
        A file of tables is cut, altered or foreign; names it, and a column of the wrong kind.
    """
    campaign_dir = Path(campaign_dir)
    if sections is None:
        sections = [path.stem for path in tidied_files(campaign_dir)]
    of_sections = [_read_section(tables_path(campaign_dir, name)) for name in sorted(sections)]
    stacked = {name: stack([one[name] for one in of_sections]) for name in NAMES}
    if all_observers:
        return Tables(**stacked)
    return Tables(**{name: _of_first_observer(frame) for name, frame in stacked.items()})


def tables_path(campaign_dir: Path, section: str) -> Path:
    """File of all tables of one section."""
    return campaign_dir / "tidy" / f"{section}.zip"


def tidied_files(campaign_dir: Path) -> list[Path]:
    """Files of the sections that have tables."""
    return sorted((campaign_dir / "tidy").glob("*.zip"))


def write_section(path: Path, tables: Mapping[str, pd.DataFrame], origin: Origin) -> None:
    """Write the tables of a section and what they were made from, whole or not at all."""
    contents = {_ORIGIN: json.dumps(origin).encode()}
    for name, frame in tables.items():
        if not frame.empty:
            parquet = io.BytesIO()
            frame.to_parquet(parquet, index=False, compression="zstd")
            contents[_file(name)] = parquet.getvalue()
    with written_whole(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # dated 1980: equal tables, equal file


def table_contents(path: Path) -> dict[str, bytes]:
    """Bytes of the Parquet file of each table that has rows, by the table's name."""
    contents = _contents(path, {_file(name) for name in NAMES})
    return {name.removesuffix(".parquet"): content for name, content in contents.items()}


def read_origin(path: Path) -> Origin | None:
    """Return what the tables in a file were made from; None where that cannot be read."""
    try:
        origin: Origin = json.loads(_contents(path, {_ORIGIN})[_ORIGIN])
    except (OSError, KeyError, ValueError, RecursionError):
        return None
    return origin


def _file(table: str) -> str:
    return f"{table}.parquet"


def _contents(path: Path, wanted: set[str]) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if info.filename in wanted]
            if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
                raise DamagedTablesError(f"{path}: its tables are compressed a second time")
            return {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError) as exc:
        raise DamagedTablesError(f"{path}: no zip of tables: {exc}") from exc


def _read_section(path: Path) -> dict[str, pd.DataFrame]:
    """Read the tables of a section, once as long as its file is not written anew."""
    found = path.stat()
    kept = _kept_tables(path, found.st_ino, found.st_mtime_ns, found.st_size)
    return {name: frame.copy(deep=False) for name, frame in kept.items()}  # copied when changed


@lru_cache(maxsize=64)
def _kept_tables(path: Path, *_: int) -> Mapping[str, pd.DataFrame]:
    """Read tables; a middleware without workers has one for each client."""
    try:
        contents = table_contents(path)
        found = {name: _frame(one) for name, one in contents.items()}
    except pa.ArrowException as exc:
        raise DamagedTablesError(f"{path}: {exc}") from exc
    for name, frame in found.items():
        if wrong := wrong_column(frame):
            raise DamagedTablesError(f"{path}: {_file(name)}: {wrong}")
    read = with_columns({name: found.get(name, pd.DataFrame()) for name in NAMES})
    if read["rejected"].empty:
        read["rejected"] = pd.DataFrame(columns=list(REJECTED_COLUMNS), dtype=str)
    runs = read["runs"]
    workers = runs.get("workers", pd.Series(index=runs.index, dtype="float64"))
    if "num_middlewares" not in runs or not (workers.isna() & (runs["num_middlewares"] > 0)).any():
        return read
    most = runs["num_clients"].max()
    return {name: _with_workers(frame, most) for name, frame in read.items()}


def _frame(parquet: bytes) -> pd.DataFrame:
    """Read a small Parquet file in memory: threads and buffers take longer than they save."""
    file = pq.ParquetFile(pa.BufferReader(parquet), pre_buffer=False)
    frame: pd.DataFrame = file.read(use_threads=False).to_pandas(use_threads=False)
    return frame


def _with_workers(frame: pd.DataFrame, most: int) -> pd.DataFrame:
    if "num_clients" not in frame:
        return frame
    known = frame.get("workers", pd.Series(index=frame.index, dtype="float64"))
    lacks = known.isna() & (frame.get("num_middlewares", 1) > 0)
    return frame.assign(workers=known.mask(lacks, most))


def _of_first_observer(frame: pd.DataFrame) -> pd.DataFrame:
    if "is_second" not in frame:
        return frame
    is_second = frame["is_second"].astype("boolean").fillna(False)
    return frame[~is_second].drop(columns="is_second").reset_index(drop=True)


def stack(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Put tables below each other, columns in the order of the widest."""
    filled = [frame for frame in frames if not frame.empty]
    if not filled:
        return frames[0] if frames else pd.DataFrame()
    widest = max(filled, key=lambda frame: frame.shape[1])
    stacked = pd.concat(filled, ignore_index=True)
    for name in stacked.columns[stacked.dtypes.map(str) == "object"]:
        if infer_dtype(stacked[name], skipna=True) == "boolean":
            stacked[name] = stacked[name].astype("boolean")  # a factor that some sections lack
    return stacked[[*widest, *stacked.columns.difference(widest.columns, sort=False)]]
