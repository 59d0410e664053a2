"""Discrete-event simulation of our system as it is built.

What a product-form network cannot hold is here: links whose service time does not vary, workers
that keep their slot while they wait for the slowest of several servers, round robin, and one link
for a middleware's requests and replies.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from analysis.models.simulated.events import Run
from analysis.models.system import System
from analysis.statistics.student import CONFIDENCE, FloatArray


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """How a simulation is run; seconds are those of the simulated clock.

    Attributes
    ----------
    warm_up_s, duration_s
        Left out, and measured after it.
    batches
        Parts of equal length that `duration_s` is cut into for confidence intervals, at least 2.
    seed
        The same seed gives the same run.
    processor_times, link_times
        ``exponential`` about their mean, or ``constant``; think times are as processor times.
    routing
        ``round-robin``: each worker starts at another server and takes them in turn; ``hash``:
        servers are drawn, as keys without a pattern draw them.
    """

    warm_up_s: float = 2.0
    duration_s: float = 10.0
    batches: int = 20
    seed: int = 1
    processor_times: Literal["exponential", "constant"] = "exponential"
    link_times: Literal["exponential", "constant"] = "constant"
    routing: Literal["round-robin", "hash"] = "round-robin"

    def __post_init__(self) -> None:
        if self.warm_up_s < 0 or self.duration_s <= 0:
            raise ValueError(
                "warm_up_s must be >= 0 and duration_s > 0, "
                f"got {self.warm_up_s} and {self.duration_s}"
            )
        if self.batches < 2:
            raise ValueError(f"batches must be >= 2, got {self.batches}")


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulationResult:
    """What was measured in a simulation after its warm-up.

    Attributes
    ----------
    measures
        One row per measure, with its 95 % confidence interval by batch means, columns `mean`,
        `ci_low`, `ci_high`: `throughput_ops_per_s`, `client_response_time_ms`; behind middlewares
        also their `response_time_ms`, `queueing_time_ms` and `service_time_ms`, and the
        `queue_length` of all together (by Little's law).
    utilizations
        Mean over the hosts of a kind, 0..1, by resource.
    response_time_s
        Of each request as its client sees it, in order of completion.
    """

    measures: pd.DataFrame
    utilizations: pd.Series
    response_time_s: FloatArray

    def response_time_percentile(self, percentile: float) -> float:
        """Time in s within which `percentile` % of the requests were answered."""
        return float(np.percentile(self.response_time_s, percentile))


def simulate(
    system: System,
    num_clients: int | None = None,
    *,
    arrival_rate: float | None = None,
    options: SimulationOptions | None = None,
) -> SimulationResult:
    """Simulate a system with closed clients, or with Poisson arrivals.

    Parameters
    ----------
    system
        What is simulated; its times are means.
    num_clients
        Clients with one request at a time, spread over machines and middlewares (without
        middleware over servers), or
    arrival_rate
        requests/s that arrive whatever the state of the system.

    Raises
    ------
    ValueError
        Neither or both of `num_clients` and `arrival_rate`, one of them not above 0, or a batch
        in which no request was completed: `duration_s` is too short.

    References
    ----------
    Jain 1991, section 25.5.2 (batch means).
    """
    options = options or SimulationOptions()
    if (num_clients is None) == (arrival_rate is None):
        raise ValueError("give either num_clients or arrival_rate")
    if num_clients is not None and not (num_clients >= 1 and num_clients == int(num_clients)):
        raise ValueError(f"num_clients must be a whole number >= 1, got {num_clients}")
    if arrival_rate is not None and not 0 < arrival_rate < np.inf:
        raise ValueError(f"arrival_rate must be > 0 and finite, got {arrival_rate}")
    run = Run(
        system,
        seed=options.seed,
        vary_processors=options.processor_times == "exponential",
        vary_links=options.link_times == "exponential",
        in_turn=options.routing == "round-robin",
    )
    if num_clients is not None:
        run.start_clients(int(num_clients), within_s=options.warm_up_s / 2)
    else:
        run.start_arrivals(float(arrival_rate or 0))
    run.advance(options.warm_up_s)
    busy_before = run.busy_s()
    run.completed.clear()
    run.advance(options.warm_up_s + options.duration_s)
    requests = pd.DataFrame(
        run.completed, columns=["completed_s", "client", "response", "queueing", "service"]
    )
    return SimulationResult(
        measures=_measures(requests, options, bool(system.middlewares)),
        utilizations=(run.busy_s() - busy_before) / options.duration_s,
        response_time_s=requests["client"].to_numpy(),
    )


def _measures(
    requests: pd.DataFrame, options: SimulationOptions, with_middleware: bool
) -> pd.DataFrame:
    length = options.duration_s / options.batches
    number = ((requests["completed_s"] - options.warm_up_s) / length).astype(int)
    batches = requests.groupby(number.clip(upper=options.batches - 1))
    means, counts = batches.mean(), batches.size()
    if len(counts) < options.batches:
        raise ValueError(
            f"every batch of {length:g} s must complete a request: duration_s "
            f"{options.duration_s:g} is too short for {options.batches} batches"
        )
    measured = {
        "throughput_ops_per_s": counts / length,
        "client_response_time_ms": means["client"] * 1000,
    }
    if with_middleware:
        measured |= {f"{name}_time_ms": means[name] * 1000 for name in requests.columns[2:]}
        measured["queue_length"] = batches["queueing"].sum() / length
    table = pd.DataFrame(measured)
    mean = table.mean()
    half_width = stdtrit(options.batches - 1, (1 + CONFIDENCE) / 2) * table.sem()
    return pd.DataFrame({"mean": mean, "ci_low": mean - half_width, "ci_high": mean + half_width})
