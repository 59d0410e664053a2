import numpy as np
import pandas as pd

from analysis.statistics.precision.split_by_regime import label_regimes, split_by_regime


def campaign(queues, clients=288, seconds=8, side="middleware", throughput=0.0):
    """One configuration; `queues` are the mean queue lengths of its repetitions."""
    rng = np.random.default_rng(7)
    runs = pd.DataFrame(
        {"section": "3.1", "workload": "set", "repetition": range(1, len(queues) + 1)}
    ).assign(num_clients=clients, middleware_queue_length=queues)
    windows = pd.concat(
        [
            pd.DataFrame(
                {
                    "section": "3.1",
                    "workload": "set",
                    "repetition": repetition,
                    "num_clients": clients,
                    "side": side,
                    "second_s": np.arange(-1, seconds),
                    "stable": np.arange(-1, seconds) >= 0,
                    "queue_length": np.append([1000.0], rng.normal(mean, 2, seconds)),
                    "throughput_ops_per_s": throughput,
                }
            )
            for repetition, mean in enumerate(queues, start=1)
        ]
    )
    return runs, windows


def test_runs_in_two_regimes_are_told_apart():
    runs, windows = campaign([10.0, 230.0, 14.0])
    assert label_regimes(runs, windows)["regime"].tolist() == ["1", "2", "1"]


def test_runs_in_one_regime_have_none():
    for queues in ([10.0, 12.0, 11.0], [10.0, 30.0, 12.0]):  # 20 of 288 jobs do not matter
        runs, windows = campaign(queues)
        assert label_regimes(runs, windows)["regime"].tolist() == ["", "", ""]


def test_runs_with_queues_alike_are_told_by_their_throughput():
    rng = np.random.default_rng(3)
    for side in ("middleware", "client"):  # or without a middleware
        runs, windows = campaign([85.0, 84.0, 85.0], side=side)
        clients = windows.assign(side="client", queue_length=np.nan)
        means = clients["repetition"].map({1: 2200.0, 2: 2900.0, 3: 2210.0})
        clients["throughput_ops_per_s"] = rng.normal(means, 10)
        both = pd.concat([windows[windows["side"] == "middleware"], clients])
        assert label_regimes(runs, both)["regime"].tolist() == ["2", "1", "2"]


def test_runs_of_one_throughput_without_a_middleware_are_in_one_regime():
    runs, windows = campaign([10.0, 230.0], side="client", throughput=2900.0)
    assert label_regimes(runs, windows)["regime"].tolist() == ["", ""]


def test_runs_of_which_no_second_is_known_are_in_one_regime():
    runs, windows = campaign([10.0, 230.0])
    assert label_regimes(runs, windows.assign(stable=False))["regime"].tolist() == ["", ""]


def test_other_tables_of_the_same_runs_are_told_alike():
    runs, windows = campaign([10.0, 230.0])
    hosts = runs.loc[[1, 0, 1, 0], ["section", "workload", "repetition", "num_clients"]]
    told = label_regimes(hosts.set_index(np.array([5, 6, 7, 8])), windows)
    assert told["regime"].tolist() == ["2", "1", "2", "1"]
    assert told.index.tolist() == [5, 6, 7, 8]


def test_a_regime_has_all_cells_that_have_one_alone():
    cells = pd.DataFrame(
        {
            "workers": [8, 8, 8, 16, 16],
            "num_clients": [6, 192, 192, 6, 192],
            "regime": ["", "1", "2", "", ""],
        }
    )
    each = split_by_regime(cells, ["workers"]).groupby(["workers", "regime"])["num_clients"]
    assert each.agg(list).to_dict() == {(8, "1"): [6, 192], (8, "2"): [6, 192], (16, ""): [6, 192]}
