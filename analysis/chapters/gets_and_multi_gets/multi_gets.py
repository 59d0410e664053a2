"""Multi-gets cut into parts (sharded) or sent whole: what links predict, and which is faster."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.models.asymptotes import least_response_time
from analysis.models.closed import Station, solve_closed
from analysis.models.measured import measured_system
from analysis.statistics.intervals import aggregate, half_width_of_difference
from analysis.statistics.loads.message_sizes import link_seconds
from analysis.studies.printed import published_table
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S

_LARGEST_TOLD = 9  # keys of a multi-get in the studies whose texts have numbers of them
_KEY = ["sharded", "multi_get_keys"]


def with_modes(tables: Tables) -> Tables:
    """Tell in every row whether multi-gets are cut, also where that is not varied.

    A middleware that cannot be told cuts them or does not, in both sections.

    Parameters
    ----------
    tables
        Of sections 5.1 and 5.2, or of one of them.
    """
    modes = tables.runs[["section", "sharded"]].drop_duplicates()
    lacking = {
        name: frame.merge(modes, on="section")
        for name in ("request_types", "histograms", "hosts")
        if "sharded" not in (frame := getattr(tables, name)) and len(frame)
    }
    return replace(tables, **lacking)


def multi_get_cells(request_types: pd.DataFrame) -> pd.DataFrame:
    """Aggregate the multi-gets of each size and mode at the clients, without the sets between.

    Parameters
    ----------
    request_types
        `analysis.tables.frames.Tables.request_types` of `with_modes`.

    Returns
    -------
    pandas.DataFrame
        `sharded`, `multi_get_keys`, and of `response_time_ms` and `throughput_ops_per_s` what
        `analysis.statistics.intervals.aggregate` gives.
    """
    rows = by_request(request_types)
    rows = rows[(rows["side"] == "client") & (rows["request"] == "multi-get")]
    return aggregate(rows, _KEY, ["response_time_ms", "throughput_ops_per_s"])


def by_request(frame: pd.DataFrame) -> pd.DataFrame:
    """Tell multi-gets, whatever they are called on a side, from sets; of times the whole response.

    Parameters
    ----------
    frame
        `analysis.tables.frames.Tables.request_types` or `histograms` of `with_modes`.

    Returns
    -------
    pandas.DataFrame
        Its rows with `request`, ``multi-get`` or ``set``, and `sharded` a truth value.
    """
    if "time" in frame:
        frame = frame[frame["time"] == "response_time"]
    requests = frame["request_type"].where(frame["request_type"] == "set", "multi-get")
    return frame.assign(request=requests).astype({"sharded": bool, "multi_get_keys": int})


def prediction_table(tables: Tables) -> pd.DataFrame:
    r"""Predict the throughput of multi-gets from links and round trips alone.

    A client sends a set and then a multi-get, so that N clients make a cycle of two requests. With
    n keys in the largest of a multi-get's parts and s the time of a value on a server's link, it
    takes :math:`R_0 + n s` where nothing waits. M links let at most :math:`M / (k s)` through:

    .. math:: X \le \min\left(\frac{N}{2 (R_0 + Z) + n s},\; \frac{M}{k s}\right)

    Sharded, all links work on each multi-get at once, and this bound is the prediction. Whole ones
    meet at one link by chance while another has nothing to do. That is a network of M equal links,
    of which each multi-get visits one, and a delay of :math:`2 (R_0 + Z)`. Connections that share
    a link get equal shares of it, as in processor sharing, for which the product form holds
    whatever the sizes; without the delay it gives :math:`N / (N + M - 1)` of what the links let
    through.

    Parameters
    ----------
    tables
        Of sections 5.1 and 5.2, and of section 0 for round trips.

    Returns
    -------
    pandas.DataFrame
        One row for each mode and size: `section`, `sharded`, `multi_get_keys`, `largest_part_keys`
        (n), `on_link_ms` (n s), `response_time_ms` (where nothing waits), `most_ops_per_s` (M
        links), `throughput_ops_per_s` (predicted, of multi-gets), `link_utilization` (predicted,
        0..1) and `full_from_keys` (where the two bounds meet if parts are equal; missing of whole
        ones).

    References
    ----------
    Jain 1991, sections 33.6 and 34.4; Baskett, Chandy, Muntz & Palacios 1975,
    doi:10.1145/321879.321887.
    """
    rows = []
    for (section, sharded, level), runs in tables.runs.groupby(["section", *_KEY]):
        keys = int(str(level))
        system = measured_system(
            tables,
            section=str(section),
            workload="multi-get",
            factors={"multi_get_keys": keys},
            server_time=0.0,
        )
        links, clients = system.servers, int(runs["num_clients"].max())
        round_trip = least_response_time(system)
        delay = 2 * (round_trip + system.think_time)
        whole = link_seconds(system.from_server_bytes, system.server_link_rate) or math.nan
        part = math.ceil(keys / links) if sharded else keys
        on_link = whole * part / keys
        most = links / whole
        if math.isnan(whole):  # the links' rates are not known
            throughput = math.nan
        elif sharded:
            throughput = min(clients / (delay + on_link), most)
        else:
            stations = [Station(f"link {one}", whole, 1 / links) for one in range(links)]
            throughput = float(solve_closed(stations, clients, delay).throughput[-1])
        rows.append(
            {
                "section": section,
                "sharded": bool(sharded),
                "multi_get_keys": keys,
                "largest_part_keys": part,
                "on_link_ms": on_link * MS_PER_S,
                "response_time_ms": (round_trip + on_link) * MS_PER_S,
                "most_ops_per_s": most,
                "throughput_ops_per_s": throughput,
                "link_utilization": throughput / most,
                "full_from_keys": links * delay * keys / (clients - 1) / whole
                if sharded
                else np.nan,
            }
        )
    return pd.DataFrame(rows)


def predictions_by_mode(predictions: pd.DataFrame) -> pd.DataFrame:
    """Put what `prediction_table` predicts of both modes side by side, one row for each size.

    Returns
    -------
    pandas.DataFrame
        `keys`, `most_ops_per_s`, and of `on_link_ms`, `throughput_ops_per_s` and
        `link_utilization` one column each for sharded and for whole multi-gets.
    """
    cut, whole = (predictions[predictions["sharded"] == mode] for mode in (True, False))
    same = ["multi_get_keys", "most_ops_per_s"]
    both = cut.merge(whole, on=same, suffixes=("_sharded", "_whole"))
    predicted = ("on_link_ms", "throughput_ops_per_s", "link_utilization")
    columns = [f"{name}_{mode}" for name in predicted for mode in ("sharded", "whole")]
    return both[[*same, *columns]].rename(columns={"multi_get_keys": "keys"})


def mode_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Compare the mean response times of both modes at every number of keys that has both.

    Parameters
    ----------
    cells
        From `multi_get_cells`.

    Returns
    -------
    pandas.DataFrame
        `multi_get_keys`, `sharded_ms`, `not_sharded_ms`, `ratio` (sharded over not sharded), and
        `difference_ms` (sharded less not sharded) with the 95 % confidence interval of Welch,
        `ci_low_ms` and `ci_high_ms` (missing with a single repetition).

    References
    ----------
    Jain 1991, section 13.4.2.
    """
    cut, whole = (cells[cells["sharded"] == mode].drop(columns="sharded") for mode in (True, False))
    both = cut.merge(whole, on="multi_get_keys", suffixes=("_cut", "_whole"))
    name = "response_time_ms"
    difference = both[f"{name}_mean_cut"] - both[f"{name}_mean_whole"]
    half_width = half_width_of_difference(
        (both[f"{name}_sd_cut"], both[f"{name}_sd_whole"]),
        (both[f"{name}_repetitions_cut"], both[f"{name}_repetitions_whole"]),
    )
    return pd.DataFrame(
        {
            "multi_get_keys": both["multi_get_keys"],
            "sharded_ms": both[f"{name}_mean_cut"],
            "not_sharded_ms": both[f"{name}_mean_whole"],
            "ratio": both[f"{name}_mean_cut"] / both[f"{name}_mean_whole"],
            "difference_ms": difference,
            "ci_low_ms": difference - half_width,
            "ci_high_ms": difference + half_width,
        }
    )


def nearest_first(frame: pd.DataFrame, wanted: int) -> list[int]:
    """Return the numbers of keys of a frame, those nearest to the wanted one first."""
    levels = sorted(map(int, frame["multi_get_keys"].unique()))
    return sorted(levels, key=lambda keys: abs(keys - wanted))


def published_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Put the few numbers that the studies' texts give of these sections beside ours.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of both sections.

    Returns
    -------
    pandas.DataFrame
        `study`, `quantity` (with its unit), `published`, `ours`; of up to nine keys, as theirs.
    """
    told = runs[runs["multi_get_keys"] <= _LARGEST_TOLD]
    sharded = told[told["sharded"].astype(bool)]
    waited_us = told["middleware_queueing_time_ms"].mean() * 1000
    largest = sharded.groupby("multi_get_keys")["client_throughput_ops_per_s"].mean().max()
    schmid = _told("schmid2018", "mixed workload 12 clients")
    yenicelik = _told("yenicelik2018", "sharded multi-get")
    return pd.DataFrame(
        [
            ("schmid2018", "mean queueing time (µs)", schmid, waited_us),
            ("yenicelik2018", "largest throughput, sharded (op/s)", yenicelik, largest),
        ],
        columns=["study", "quantity", "published", "ours"],
    )


def _told(study: str, subject: str) -> float:
    prose = published_table(study, "prose")
    return float(prose.loc[prose["subject"] == subject, "value"].iloc[0])
