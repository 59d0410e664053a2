import pandas as pd

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
    assert "such as the processors of the machine" in told


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
    assert lines[1] == "- **two**: predicted +0\N{NO-BREAK SPACE}% of throughput; not measured."


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
        "At k = 4 900 op/s were measured: the prediction is +10.0\N{NO-BREAK SPACE}% off." in told
    )
    assert "No machine is known" in dilation_sentences(predicted.iloc[:0], runs, **sizes)
