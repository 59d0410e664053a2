import dataclasses

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.with_middleware.claims import chapter
from analysis.claims.claim import Outcome
from analysis.claims.measurements import Measurements
from analysis.claims.rules import Verdict
from analysis.tables.frames import Tables

CLIENTS, WORKERS, ARRIVING = 200, 16, 16_000.0


@dataclasses.dataclass
class Measured:
    runs: pd.DataFrame
    windows: pd.DataFrame


def campaign(long_ms, queues=(2.0, 150.0, 5.0, 145.0), begins=(60.0, 60.0, 60.0, 60.0)):
    """Workers serve in 0.9 ms behind a short queue, in `long_ms` behind a long one; four runs."""
    rng = np.random.default_rng(3)
    numbers = range(1, len(queues) + 1)
    runs = pd.DataFrame({"workload": "set", "workers": WORKERS, "repetition": numbers})
    runs = runs.assign(num_clients=CLIENTS, num_middlewares=1)
    windows = [
        runs.iloc[[repetition]]
        .drop(columns="num_middlewares")
        .merge(
            pd.DataFrame(
                {
                    "side": "middleware",
                    "second_s": np.arange(-2, 10),
                    "stable": np.arange(-2, 10) >= 0,
                    "throughput_ops_per_s": [0.0, *rng.normal(ARRIVING, 40, 11)],
                    "service_time_ms": rng.normal(long_ms if queue > 100 else 0.9, 0.005, 12),
                    "queue_length": [0.0, begins[repetition], *rng.normal(queue, 1, 10)],
                }
            ),
            how="cross",
        )
        for repetition, queue in enumerate(queues)
    ]
    return Measured(runs=runs, windows=pd.concat(windows, ignore_index=True))


def claims(measured: Measured | None) -> list[Outcome]:
    tables: dict[str, Tables] = {} if measured is None else {"3.1": measured}
    about = [claim for claim in chapter.claims if claim.see == "03-1-queue"]
    return [claim.judge(Measurements(tables)) for claim in about]


def verdicts(measured: Measured | None) -> list[Verdict]:
    return [claim.verdict for claim in claims(measured)]


def test_regimes_that_keep_themselves_up_are_found():
    assert verdicts(campaign(long_ms=1.1)) == [Verdict.SUPPORTED] * 3


def test_workers_that_are_as_fast_behind_a_long_queue_do_not_explain_it():
    assert verdicts(campaign(long_ms=0.9))[2] == Verdict.REFUTED


def test_a_regime_that_one_run_was_in_tells_nothing_of_others():
    _, short, long = claims(campaign(long_ms=1.1, queues=(2.0, 150.0, 5.0)))
    assert short.verdict == Verdict.SUPPORTED
    assert long.told == "undecided: no repetitions"


def test_a_single_run_that_begins_without_a_queue_is_named():
    begins, *_ = claims(campaign(long_ms=1.1, begins=(60.0, 0.0, 90.0, 90.0)))
    assert begins.estimate.value == 0.75
    assert begins.told == ("refuted: 1 of 4 miss: set 200 clients 16 workers run 2")


@pytest.mark.parametrize("measured", [None, campaign(long_ms=1.1, queues=(2.0, 3.0, 2.5))])
def test_without_two_regimes_it_cannot_be_told(measured):
    assert verdicts(measured) == [Verdict.UNDECIDED] * 3
