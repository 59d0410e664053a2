import pandas as pd

from analysis.chapters.what_limits_it.plots import plot_sensitivity, shown_sensitivity
from analysis.lab.sensitivity import COLUMNS, COUNT, RATE, UNEXPLAINED

NAN = float("nan")
TABLE = pd.DataFrame(
    [
        ("server link rate", RATE, 0.8, 0.75, 0.85, 0.9, 3, False),
        ("workers", COUNT, 0.1, 0.05, 0.15, 0.1, 3, True),
        ("1 / network delay", RATE, NAN, NAN, NAN, 0.05, 0, False),
        (UNEXPLAINED, RATE, 0.2, 0.1, 0.3, NAN, 3, False),
    ],
    columns=COLUMNS,
)


def test_without_a_model_there_is_no_mark():
    figure = plot_sensitivity(TABLE.assign(model=NAN))
    assert "model" not in {trace.name for trace in figure.data}


def test_elasticities_are_written_with_their_intervals():
    shown = shown_sensitivity(TABLE.assign(lower=[0.75, NAN, NAN, -0.1]))
    assert shown["elasticity"].tolist() == [
        "0.80 (0.75 to 0.85)",
        "0.10",
        "\N{EN DASH}",
        "0.20 (\N{MINUS SIGN}0.10 to 0.30)",
    ]
    assert shown["curved"].tolist() == [False, True, False, False]
