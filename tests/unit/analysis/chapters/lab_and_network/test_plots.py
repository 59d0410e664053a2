import pytest

from analysis.chapters.lab_and_network.plots import plot_bandwidths, plot_round_trip_times


@pytest.fixture(scope="module")
def tables(synthetic):
    return synthetic("0", "2.1", "3.1")


def test_bandwidths_stand_beside_the_senders_limit(tables):
    figure = plot_bandwidths(tables.bandwidths)
    assert figure.layout.xaxis.title.text == "Bandwidth (Mbit/s)"
    bars, limits = figure.data
    assert bars.y.tolist() == ["c1 → s1", "s1 → c1"]
    assert limits.x.tolist() == [200, 100]
    assert (bars.x < limits.x).all()


def test_round_trip_times_are_squares_with_their_value(tables):
    figure = plot_round_trip_times(tables.pings.query("section == '0'"))
    (squares,) = figure.data
    assert list(zip(squares.y, squares.x, squares.text, strict=True)) == [
        ("c1", "s1", "1.00"),
        ("s1", "c1", "1.00"),
    ]
    assert squares.name == "round-trip time (ms)"
    assert (squares.marker.cmin, squares.marker.cmax) == pytest.approx((0, 1))
    assert figure.layout.yaxis.categoryarray == ("s1", "c1")
