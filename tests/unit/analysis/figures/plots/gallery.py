"""One example of every figure of `MODULES`, from a synthetic campaign."""

from itertools import product

import numpy as np
import pandas as pd

from analysis.chapters.gets_and_multi_gets import plots as gets_and_multi_gets
from analysis.chapters.lab_and_network import plots as lab_and_network
from analysis.chapters.routing_and_replication import plots as routing_and_replication
from analysis.chapters.stability import plots as stability
from analysis.chapters.system_overview import plots as system_overview
from analysis.chapters.two_k_factorial import plots as two_k_factorial
from analysis.figures import plots
from analysis.figures.over_time import seconds
from analysis.figures.plots import closer, measured_and_model
from analysis.laws.summary import cells
from analysis.results.histograms import percentiles_by
from analysis.statistics.factorial.designs import analyse_designs
from analysis.tables.tidying import tidy_campaign
from analysis.traces.followed_requests import followed_requests
from tests.helpers.campaign import build_campaign, build_network_runs
from tests.helpers.followed_run import ordinary_passages, write_run

HOSTS = {"clients": ["c1", "c2", "c3"], "middlewares": ["m1", "m2"], "servers": ["s1", "s2", "s3"]}
TIME = "response_time_ms"
THROUGHPUT = "client_throughput_ops_per_s"
FACTORS = ["num_servers", "workers"]
RATES = {"c1": 200, "c2": 200, "c3": 200, "m1": 800, "m2": 800, "s1": 100, "s2": 100, "s3": 100}
MODULES = (
    plots,
    lab_and_network,
    system_overview,
    gets_and_multi_gets,
    two_k_factorial,
    stability,
    routing_and_replication,
    closer,
    measured_and_model,
    seconds,
)


def gallery(folder, tables=None):
    """Return name to figure, for every `plot_...` of `MODULES`."""
    if tables is None:
        tables = tidy_campaign(
            build_network_runs(build_campaign(folder, clients_per_thread=(1, 12, 32)))
        )
    baseline = cells(tables.runs.query("section == '2.1'"))
    sets = cells(tables.runs.query("section == '3.1' and workload == 'set'"))
    histograms = tables.histograms.query("section == '2.1'")
    one = "workload == 'set' and workers == 8 and num_clients == 192 and repetition == 1"
    windows = tables.windows.query(f"section == '3.1' and {one}")
    servers = windows.query("side == 'middleware'").assign(server="s1", response_time_max_ms=3.0)
    design, bounds = factorial_runs(), factorial_runs().query("repetition == 1")
    responses, units = {"throughput": THROUGHPUT}, {"throughput": "op/s"}
    found, predicted = (analyse_designs(runs, FACTORS, responses) for runs in (design, bounds))
    designs = {"additive": (found, predicted)}
    return {
        "plot_bandwidths": lab_and_network.plot_bandwidths(tables.bandwidths),
        "plot_breakdown": closer.plot_breakdown(sets.query("workers == 8")),
        "plot_close_up": stability.plot_close_up(
            windows, servers, events(), "s1 paused at 0 s", around_s=2
        ),
        "plot_closer": plots.plot_closer(
            sets, tables.histograms, workload="set", workers=8, clients=192
        ),
        "plot_by_workers": plots.plot_by_workers(copies(), copies(), series="replicas"),
        "plot_copies": routing_and_replication.plot_copies(copies(), copies(), service_times()),
        "plot_distribution": closer.plot_distribution(
            tables.histograms.query("section == '3.1' and time == 'response_time'")
        ),
        "plot_distributions": routing_and_replication.plot_distributions(
            {"8 workers": tables.histograms.query(f"{one} and time == 'response_time'")}
        ),
        "plot_effects": two_k_factorial.plot_effects(designs, units, model="additive"),
        "plot_interactions": two_k_factorial.plot_interactions(
            design, bounds, FACTORS, response=THROUGHPUT
        ),
        "plot_percentiles": plots.plot_percentiles(
            percentiles_by(histograms.query("workload == 'set'"), ["num_clients"])
        ),
        "plot_percentiles_by_keys": gets_and_multi_gets.plot_percentiles_by_keys(
            keys_percentiles(), "multi-get", True
        ),
        "plot_predicted_against_measured": plots.plot_predicted_against_measured(
            compared(), column="x", title="throughput (op/s)"
        ),
        "plot_prediction": measured_and_model.plot_prediction(
            sets.query("workers == 8"),
            predictions(),
            column="client_throughput_ops_per_s",
            title="Throughput (op/s)",
            series="workers",
        ),
        "plot_queue_length": plots.plot_queue_length(sets),
        "plot_request_life": system_overview.plot_request_life(
            {f"{t}_time_ms": 0.1 for t in ("preprocessing", "queueing", "processing")}
            | {"servers_net_time_ms": 1.5}
        ),
        "plot_request_shares": routing_and_replication.plot_request_shares(shares()),
        "plot_residuals": two_k_factorial.plot_residuals(
            designs, units, response="throughput", model="additive"
        ),
        "plot_response_time": plots.plot_response_time(baseline),
        "plot_response_time_by_keys": gets_and_multi_gets.plot_response_time_by_keys(keys_cells()),
        "plot_round_trip_times": lab_and_network.plot_round_trip_times(
            tables.pings.query("section == '0'")
        ),
        "plot_seconds": seconds.plot_seconds(
            windows, "response_time_ms", "Response time (ms)", series="side"
        ),
        "plot_slowest_requests": stability.plot_slowest_requests(followed(folder / "followed"), 5),
        "plot_spread": gets_and_multi_gets.plot_spread(sharded_histograms(), keys=6, side="client"),
        "plot_system": system_overview.plot_system(HOSTS, RATES),
        "plot_threads": system_overview.plot_threads(clients=192, workers=64, servers=3),
        "plot_throughput": plots.plot_throughput(baseline),
        "plot_throughput_by_keys": gets_and_multi_gets.plot_throughput_by_keys(
            keys_cells().rename(columns=lambda name: name.replace(TIME, "throughput_ops_per_s"))
        ),
        "plot_trace": stability.plot_trace(
            windows, pd.DataFrame({"start_s": [1.0], "end_s": [2.0], "event": ["s1 paused"]})
        ),
        "plot_waiting_workers": plots.plot_waiting_workers(sets),
    }


def followed(folder):
    """Requests of a run that followed a few."""
    return followed_requests(write_run(folder, ordinary_passages(np.random.default_rng(1), 20)))


def factorial_runs():
    """y = 100 + 10 a + 5 ab of sets, twice as much of gets, errors of +-1 in two repetitions."""
    rows = [
        (workload, 2 + a, 20 + 12 * b, 1 + (e > 0), times * (100 + 10 * a + 5 * a * b + e * a * b))
        for (workload, times), a, b, e in product(
            (("set", 1), ("get", 2)), (-1, 1), (-1, 1), (-1, 1)
        )
    ]
    return pd.DataFrame(rows, columns=["workload", *FACTORS, "repetition", THROUGHPUT])


def copies():
    """Two numbers of workers and of copies, with what bounds them."""
    frame = pd.DataFrame(product((8, 64), (1, 3)), columns=["workers", "replicas"])
    frame = frame.assign(num_clients=192, most_ops_per_s=9_000.0, least_response_time_ms=1.0)
    for column in (THROUGHPUT, f"client_{TIME}"):
        parts = {"mean": 100.0, "ci_low": 90.0, "ci_high": 110.0, "repetitions": 3}
        frame = frame.assign(**{f"{column}_{part}": value for part, value in parts.items()})
    return frame


def service_times():
    """Sets take longer with three copies than with one."""
    frame = pd.DataFrame(product((1, 3), ("get", "set")), columns=["replicas", "request_type"])
    frame["service_time_ms_mean"] = [1.0, 1.0, 1.0, 1.2]
    mean = frame["service_time_ms_mean"]
    return frame.assign(service_time_ms_ci_low=mean - 0.1, service_time_ms_ci_high=mean + 0.1)


def sharded_histograms():
    """Multi-gets and sets in two modes, evenly spread response times."""
    edges_ms = np.arange(1, 30) * 0.25
    parts = [
        pd.DataFrame({"request": request, "sharded": sharded, "upper_edge_ms": edges_ms})
        for request, sharded in product(("multi-get", "set"), (True, False))
    ]
    parts = [part.assign(side="client", multi_get_keys=6, count=10) for part in parts]
    return pd.concat(parts, ignore_index=True)


def keys_percentiles():
    """Response times that grow with the keys, a third as fast when sharded."""
    rows = [
        (keys, sharded, percentile, percentile / 50 + keys * (0.1 if sharded else 0.3))
        for keys, sharded, percentile in product(
            (1, 3, 6, 9), (True, False), (25, 50, 75, 90, 95, 99)
        )
    ]
    frame = pd.DataFrame(rows, columns=["multi_get_keys", "sharded", "percentile", "value_ms"])
    return frame.assign(request="multi-get", runs=3, sd_ms=0.1)


def keys_cells():
    """Mean response times with their intervals, of both modes."""
    frame = keys_percentiles().query("percentile == 50").rename(columns={"value_ms": "mean"})
    bounds = {"mean": frame["mean"], "ci_low": frame["mean"] - 0.1, "ci_high": frame["mean"] + 0.1}
    columns = {f"response_time_ms_{name}": values for name, values in bounds.items()}
    return frame[["multi_get_keys", "sharded"]].assign(response_time_ms_repetitions=3, **columns)


def compared():
    """Two models of two configurations."""
    frame = pd.DataFrame({"model": ["exact", "exact", "simulation", "simulation"]})
    frame["x_mean"] = [100.0, 200.0, 100.0, 200.0]
    frame["x_predicted"] = [110.0, 190.0, 101.0, 199.0]
    return frame.assign(x_ci_low=frame["x_mean"] - 5, x_ci_high=frame["x_mean"] + 5)


def predictions():
    """Two models of 8 workers."""
    return pd.DataFrame(
        {
            "model": ["exact", "exact", "simulation", "simulation"],
            "workers": 8,
            "num_clients": [6, 192, 6, 192],
            "client_throughput_ops_per_s": [4000.0, 8000.0, 3900.0, 7900.0],
        }
    )


def shares():
    """Three servers, R = 1 and 2, each within chance of the ring."""
    frame = pd.DataFrame(product((1, 2), ("s1", "s2", "s3")), columns=["replicas", "server"])
    frame["share_mean"] = [0.3, 0.4, 0.3, 0.33, 0.34, 0.33]
    bounds = {
        "share_ci_low": frame["share_mean"] - 0.01,
        "share_ci_high": frame["share_mean"] + 0.01,
    }
    known = {"expected": frame["share_mean"] + 0.001, "chance": 0.001, "share_repetitions": 3}
    return frame.assign(**bounds, **known)


def events():
    """Two events of a run, as `analysis.chapters.stability.dynamics.find_events` gives them."""
    return pd.DataFrame(
        {
            "start_s": [0.5, 2.0],
            "end_s": [1.0, 3.5],
            "length_s": [0.5, 1.5],
            "event": ["s1 paused", "s2 paused"],
        }
    )
