"""Su's message queue on PostgreSQL: service rates, the interactive law, his closed network."""

import numpy as np
import pandas as pd

from analysis.laws.operational import interactive_response_time, interactive_throughput
from analysis.models import ClosedSolution, Station, solve_closed
from analysis.studies.printed import published_table, table_name
from analysis.studies.rows import INTERACTIVE, NETWORK, RATES, rows_of
from analysis.units import MS_PER_S

SPEEDS = (1, 2, 4, 8)  # of the database, times as fast
MOST_CLIENTS = 400
_LAW = ("t5_interactive", "t6_interactive", "t7_interactive")
_FRONT = 20  # stations of the front end


def closed_network(
    speed: float = 1, front_end_threads: int = _FRONT, *, one_queue: bool = False
) -> ClosedSolution:
    """Solve Su's network of single stations, table 3, for 1 to 400 clients that think 5 ms.

    Parameters
    ----------
    speed
        Times as fast as it was the database is.
    front_end_threads
        Stations of the front end.
    one_queue
        Whether the database's four servers share one queue; in his network each has its own.
    """
    table = published_table("su2015", "t3_network").set_index("station")
    stations = []
    for name, row in table.drop(index="think").iterrows():
        servers = front_end_threads if name == "frontend" else int(row["servers"])
        service_s = row["service_ms"] / MS_PER_S / (speed if name == "database" else 1)
        if one_queue and name == "database":
            stations.append(Station(str(name), service_s, 1, servers))
            continue
        each = range(1, servers + 1)
        stations += [Station(f"{name} {number}", service_s, 1 / servers) for number in each]
    return solve_closed(stations, MOST_CLIENTS, float(table["service_ms"].loc["think"]) / MS_PER_S)


def measured_by_clients() -> pd.DataFrame:
    """Give what table 6 measured.

    Columns: `series` and its `order`, `num_clients`, `throughput_ops_per_s`, `response_time_ms`.
    """
    table = published_table("su2015", "t6_interactive")
    ours = {"N": "num_clients", "X_meas_req_s": "throughput_ops_per_s"}
    ours["R_meas_ms"] = "response_time_ms"
    return _named("t6_interactive", table[list(ours)].rename(columns=ours), table)


def predicted_by_clients() -> pd.DataFrame:
    """Predict table 6: his network, one with one queue before the database, and the bounds.

    Columns: `model`, `num_clients`, `throughput_ops_per_s`, `response_time_ms`.
    """
    clients = np.arange(8, 201)
    parts = []
    solved = {"four queues": closed_network(), "one queue": closed_network(one_queue=True)}
    for model, network in solved.items():
        parts.append((model, network.throughput[clients - 1], network.response_time[clients - 1]))
    demands = [station.service_demand for station in solved["one queue"].stations]
    alone = solved["four queues"].response_time[0]
    think = solved["four queues"].think_time
    most = 1 / (max(demands) / 4)
    bound = np.minimum(clients / (alone + think), most)
    parts.append(("bounds", bound, np.maximum(alone, clients / most - think)))
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "model": model,
                    "num_clients": clients,
                    "throughput_ops_per_s": throughput,
                    "response_time_ms": response_time * MS_PER_S,
                }
            )
            for model, throughput, response_time in parts
        ],
        ignore_index=True,
    )


def time_that_is_missing() -> pd.DataFrame:
    """Tell how much longer than the measured response time N / X - Z is, of tables 5 to 7.

    Columns: `series` (table and think time) and its `order`, `num_clients`, `missing_ms`.
    """
    parts = []
    for name in _LAW:
        table = published_table("su2015", name)
        cycle_ms = table["N"] / table["X_meas_req_s"] * MS_PER_S
        missing_ms = cycle_ms - table["think_ms"] - table["R_meas_ms"]
        frame = pd.DataFrame({"num_clients": table["N"], "missing_ms": missing_ms})
        parts.append(_named(name, frame, table))
    return pd.concat(parts, ignore_index=True)


def _named(name: str, frame: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Name the series of a table in the same order of levels for all, so that styles are alike."""
    series = f"{table_name('su2015', name)}, Z = {table['think_ms'].iloc[0]} ms"
    return frame.assign(series=series, order=_LAW.index(name))


def faster_databases() -> pd.DataFrame:
    """Predict the throughput of databases that are 1, 2, 4 and 8 times as fast.

    Columns: `model` (``2 times as fast``), `num_clients`, `throughput_ops_per_s`.
    """
    clients = np.arange(8, MOST_CLIENTS + 1)
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "model": f"{speed} times as fast" if speed > 1 else "four queues",
                    "num_clients": clients,
                    "throughput_ops_per_s": closed_network(speed).throughput[clients - 1],
                }
            )
            for speed in SPEEDS
        ],
        ignore_index=True,
    )


def what_ifs() -> pd.DataFrame:
    """Predict the faster databases that Su asks for, at his largest load.

    Columns: `database_speed`, `throughput_ops_per_s`, `response_time_ms`, and the utilization of
    each kind of station, 0..1.
    """
    rows = []
    for speed in SPEEDS:
        network = closed_network(speed)
        kinds = [str(station.name).split()[0] for station in network.stations]
        utilizations = dict(zip(kinds, network.utilization[-1], strict=True))
        rows.append(
            {
                "database_speed": speed,
                "throughput_ops_per_s": network.throughput[-1],
                "response_time_ms": network.response_time[-1] * MS_PER_S,
                **utilizations,
            }
        )
    return pd.DataFrame(rows)


def su_numbers() -> pd.DataFrame:
    """All that Su's tables and text derive."""
    return pd.concat([_times(), _rates(), _databases(), _components(), _network(), *_law()])


def _times() -> pd.DataFrame:
    table = published_table("su2015", "t1_times").set_index("part")["time_ms"]
    prose = published_table("su2015", "prose").query("subject == 'M/M/1'").set_index("quantity")
    rate = prose.loc[["service rate"], "value"].astype(float).set_axis(["service rate, M/M/1"])
    return pd.concat(
        [
            rows_of(
                "su2015", RATES, "t1_times", "", table.loc[["total_time"]].set_axis(["total (ms)"]),
                pd.Series(
                    [table["service_time"] + table["waiting_time"]], ["total (ms)"]
                ), 1.6e-4, "service and waiting time",
            ),
            rows_of(
                "su2015", RATES, "prose", "", rate,
                pd.Series([MS_PER_S / table["service_time"]], rate.index), 0.6, "1 / S of table 1",
            ),
        ]
    )  # fmt: skip


def _rates() -> pd.DataFrame:
    table = published_table("su2015", "t2_service").set_index("worker_threads")
    rederived = MS_PER_S / table["service_ms"]
    return rows_of(
        "su2015", RATES, "t2_service", "service rate, workers:", table["service_rate_req_s"],
        rederived, 0.5 + 0.0005 / table["service_ms"].to_numpy() * rederived.to_numpy(), "1 / S",
    )  # fmt: skip


def _databases() -> pd.DataFrame:
    table = published_table("su2015", "t4_db_speed").set_index("speed_factor")["db_service_ms"]
    faster = table.drop(index=1)
    return rows_of(
        "su2015", RATES, "t4_db_speed", "service time of the database (ms), times as fast:", faster,
        pd.Series(table[1] / faster.index, faster.index), 0.00056, "S over the speed",
    )  # fmt: skip


def _components() -> pd.DataFrame:
    """Rates of the middleware and the database, each measured alone."""
    prose = published_table("su2015", "prose").query("section in ('3.1', '3.2')")
    value = pd.to_numeric(prose.set_index(["subject", "quantity"])["value"])
    rate = {name: MS_PER_S / value[name, "service time"] for name in ("middleware", "database")}
    numbers = {
        "service rate of the middleware": (
            value["middleware", "service rate"], rate["middleware"], 13,
        ),
        "most of ten threads": (
            value["middleware", "estimated maximum throughput"], 10 * rate["middleware"], 5000,
        ),
        "service rate of the database": (
            value["database", "service rate"], rate["database"], 2.6,
        ),
        "most of four databases": (
            value["database", "total service rate"], 4 * rate["database"], 13,
        ),
    }  # fmt: skip
    table = pd.DataFrame(numbers, index=["printed", "rederived", "rounding"]).T
    return rows_of(
        "su2015", RATES, "prose", "", table["printed"], table["rederived"],
        table["rounding"].to_numpy(), "m / S",
    )  # fmt: skip


def _network() -> pd.DataFrame:
    """Utilizations that the text tells of the network and of its what-ifs, at 400 clients."""
    own, fast = closed_network(), what_ifs().set_index("database_speed").loc[8]
    last = [station.name for station in own.stations]
    one = closed_network(front_end_threads=1)
    front = [station.name for station in one.stations].index("frontend 1")
    others = [place for place, name in enumerate(last) if not name.startswith("database")]
    prose = published_table("su2015", "prose").query("section.str.startswith('4.2')")
    value = pd.to_numeric(prose.set_index(["subject", "quantity"])["value"])
    at = int(value["network", "clients at database utilization near 1"])
    bound = value["network", "utilization bound of the three non-database types"]
    numbers = {
        "largest utilization beside the database": (bound, own.utilization[-1, others].max()),
        f"utilization of the database, {at} clients": (1.0, own.utilization[at - 1, -1]),
        "network, database 8 times as fast": (
            value["8x database", "network utilization"], fast["network"],
        ),
        "back end, database 8 times as fast": (
            value["8x database", "backend utilization"], fast["backend"],
        ),
        "front end of one thread": (
            value["1 frontend worker", "maximum utilization"], one.utilization[-1, front],
        ),
    }  # fmt: skip
    table = pd.DataFrame(numbers, index=["printed", "rederived"]).T
    return rows_of(
        "su2015", NETWORK, "prose", "", table["printed"], table["rederived"], 0.05,
        "mean-value analysis of table 3, 400 clients",
    )  # fmt: skip


def _law() -> list[pd.DataFrame]:
    """Tables 5 to 7: what the law gives, and how far what was measured lies from it."""
    rows = []
    for name in _LAW:
        table = published_table("su2015", name)
        table.index = pd.Index(
            [f"of row {row}, {n} clients" for row, n in enumerate(table["N"], 1)]
        )
        throughput, think_s = table["X_meas_req_s"], table["think_ms"] / MS_PER_S
        measured_s = table["R_meas_ms"] / MS_PER_S
        law_ms = interactive_response_time(table["N"], throughput, think_s) * MS_PER_S
        law_x = interactive_throughput(table["N"], measured_s, think_s)
        of_r = 0.005  # ms, half of the last digit
        of_x = of_r / MS_PER_S * law_x / (measured_s + think_s)
        apart_ms, apart_x = np.abs(law_ms - table["R_meas_ms"]), np.abs(law_x - throughput)
        for column, rederived, tolerance in (
            ("R_cal_ms", law_ms, of_r + 0.001),
            ("X_cal_req_s", law_x, of_x + of_r),
            ("diff_R", apart_ms, 2 * of_r + 0.001),
            ("diff_R_pct", 100 * apart_ms / law_ms, 100 * of_r / law_ms + of_r),
            ("diff_X", apart_x, of_x + 2 * of_r),
            ("diff_X_pct", 100 * apart_x / law_x, 100 * of_x / law_x + of_r),
        ):
            rows.append(
                rows_of(
                    "su2015", INTERACTIVE, name, column, table[column],
                    pd.Series(np.asarray(rederived), table.index), tolerance,
                    "R = N / X - Z, X = N / (R + Z)",
                )
            )  # fmt: skip
    return rows
