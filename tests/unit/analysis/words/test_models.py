import pandas as pd
import pytest

from analysis.words.models import (
    dilation_sentences,
    model_sentences,
    open_sentences,
    what_if_sentences,
)


def compared(rows):
    columns = ["workload", "workers", "num_clients", "model", "bottleneck", "relative_error"]
    return pd.DataFrame(rows, columns=columns)


def test_what_only_the_simulation_has_is_named():
    rows = [
        ("get", 8, 48, "network of queues", "server link", -0.2),
        ("get", 8, 48, "simulation", "server link", 0.01),
    ]
    assert "What only the simulation has explains" in model_sentences(compared(rows))


def test_too_much_at_the_largest_load_points_to_what_models_lack():
    rows = [
        ("set", 64, 6, "network of queues", "client link", 0.01),
        ("set", 64, 192, "network of queues", "client link", 0.4),
        ("set", 64, 6, "simulation", "client link", 0.01),
        ("set", 64, 192, "simulation", "client link", 0.4),
    ]
    told = model_sentences(compared(rows))
    assert "at worst +40.0\N{NO-BREAK SPACE}% off (64 workers, 192 clients)" in told
    assert "from 192 clients on (+40.0\N{NO-BREAK SPACE}% on average): requests wait for" in told
    assert "CPU" not in told


@pytest.mark.parametrize(
    ("busy", "words"),
    [
        ({6: 0.2, 48: 0.3, 192: 0.95}, "busy for 95 % of the time there: requests waited for it."),
        ({6: 0.2, 48: 0.9, 192: 0.5}, "for 90 % elsewhere, so that it is not the reason."),
        ({6: 0.2, 48: 0.3, 192: 0.6}, "busy for 60 % of the time there, which is not its limit."),
    ],
)
def test_the_machine_is_blamed_only_where_it_was_busy(busy, words):
    rows = [
        ("set", 64, 6, "simulation", "none", 0.01),
        ("set", 64, 48, "simulation", "none", 0.01),
        ("set", 64, 192, "simulation", "client link", 0.4),
    ]
    machine = pd.DataFrame({"workload": "set", "workers": 64, "num_clients": list(busy)})
    told = model_sentences(compared(rows), machine.assign(machine_utilization=busy.values()))
    assert words in told.replace("\xa0", " ")


def test_errors_with_few_workers_are_told_from_errors_at_large_loads():
    errors = {8: (0.02, 0.15, 0.2), 16: (0.02, 0.04, 0.25), 64: (0.02, 0.01, -0.02)}
    rows = [
        ("set", workers, clients, "network of queues", "none", error)
        for workers, own in errors.items()
        for clients, error in zip((6, 48, 192), own, strict=True)
    ]
    told = model_sentences(compared(rows)).replace("\xa0", " ")
    assert "too much is predicted with 8 and 16 workers (+16.0 % on average)" in told
    assert "that time is longer than the models' demands say" in told


def test_errors_at_the_smallest_load_point_to_delays():
    rows = [
        ("get", 8, 6, "network of queues", "none", -0.2),
        ("get", 8, 48, "network of queues", "server link", 0.0),
    ]
    told = model_sentences(compared(rows)).replace("\xa0", " ")
    assert "At the smallest load, where delays count most, too little is predicted" in told


def test_errors_without_a_pattern_are_counted():
    rows = [
        ("set", 64, 6, "network of queues", "none", 0.0),
        ("set", 8, 48, "network of queues", "none", 0.1),
        ("set", 64, 48, "network of queues", "none", -0.1),
        ("set", 8, 192, "network of queues", "none", -0.1),
        ("set", 64, 192, "network of queues", "none", 0.1),
    ]
    told = model_sentences(compared(rows)).replace("\xa0", " ")
    assert "above 5 %, 4 of 4, follow neither the number of workers nor that of clients" in told


def test_near_predictions_need_no_explanation():
    rows = [("get", 8, 6, "network of queues", "server link", 0.01)]
    assert "what they leave out does not matter here" in model_sentences(compared(rows))


def test_the_nearest_model_of_an_open_station_is_named():
    columns = ["model", "utilization", "predicted", "measured", "relative_error", "reason"]
    rows = [("M/M/1", 0.9, 5.0, 3.0, 0.67, "far"), ("M/D/1", 0.9, 3.1, 3.0, 0.03, "near")]
    told = open_sentences(pd.DataFrame(rows, columns=columns), "the link")
    assert told.startswith("At the link M/D/1 comes nearest")
    unstable = pd.DataFrame(rows, columns=columns).assign(relative_error=float("nan"))
    assert "no rate leaves a steady state" in open_sentences(unstable, "the link")
    assert "No run at the link was accepted" in open_sentences(unstable.head(0), "the link")


def test_changes_that_were_not_measured_are_called_so():
    nan = float("nan")
    rows = [
        ("as it is", "throughput_ops_per_s", "server link", 2900.0, 2880.0, 0.01, "close"),
        ("twice", "throughput_ops_per_s", "server link", 5800.0, 5700.0, 0.02, "close"),
        ("two", "throughput_ops_per_s", "server link", 2900.0, nan, nan, "not measured"),
    ]
    columns = ["case", "measure", "bottleneck", "predicted", "measured"]
    columns += ["relative_error", "verdict"]
    lines = what_if_sentences(pd.DataFrame(rows, columns=columns)).splitlines()
    assert lines[0].startswith(
        "- **twice**: predicted +100\N{NO-BREAK SPACE}% of throughput, "
        "measured +98\N{NO-BREAK SPACE}%"
    )
    assert lines[1] == "- **two**: predicted 0\N{NO-BREAK SPACE}% of throughput; not measured."


def test_the_dilation_from_which_links_are_the_limit_is_told():
    predicted = pd.DataFrame(
        {
            "time_dilation": [1, 2, 4],
            "throughput_ops_per_s": [500.0, 900.0, 990.0],
            "bottleneck": ["machine", "server link", "server link"],
        }
    )
    runs = pd.DataFrame(
        {"num_clients": 6, "workers": [8, 64], "client_throughput_ops_per_s": [700.0, 900.0]}
    )
    sizes = {"num_clients": 6, "measured_at": 4}
    told = dilation_sentences(predicted, runs, **sizes)
    assert "At k = 1 the machine would be the limit, at 500 op/s." in told
    assert "From k = 2 on the server link is, at 900 op/s" in told
    assert (
        "900 op/s were measured at k = 4: the prediction is +10.0\N{NO-BREAK SPACE}% off." in told
    )
    assert "No machine is known" in dilation_sentences(predicted.iloc[:0], runs, **sizes)
