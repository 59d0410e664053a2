import pandas as pd

from analysis.figures.plots import plot_predicted_against_measured


def test_levels_look_the_same_where_some_are_missing():
    points = pd.DataFrame({"section": ["3.2", "4.1", "6"]})
    points = points.assign(x_predicted=1.0, x_mean=1.0, x_ci_low=0.9, x_ci_high=1.1)
    whole = {"column": "x", "title": "(op/s)", "series": "section", "levels": ("3.2", "4.1", "6")}
    some = plot_predicted_against_measured(points.iloc[[0, 2]], **whole)
    every = plot_predicted_against_measured(points, **whole)
    color = {trace.name: trace.marker.color for trace in every.data}
    assert all(trace.marker.color == color[trace.name] for trace in some.data)
    none = plot_predicted_against_measured(points.head(0), **whole)
    assert none.data[0].name == "within 10\xa0%"
    assert list(none.data[-1].text) == ["no cell to compare"]
    assert all(trace.text is None for trace in every.data)
