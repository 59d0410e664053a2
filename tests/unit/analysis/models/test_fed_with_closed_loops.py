import pandas as pd
import pytest

from analysis.models import mm1
from analysis.models.fed_with_closed_loops import (
    queueing_sentences,
    service_rates,
    station_predictions,
)
from analysis.sections.summary import cells
from analysis.tables.tidying import tidy_campaign
from analysis.words.models import station_sentences
from tests.helpers.campaign import build_campaign


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthetic")
    build_campaign(folder, sections=("3.1",), clients_per_thread=(1, 4, 32), workers=(8,))
    return tidy_campaign(folder)


def test_stations_are_fed_with_the_largest_second_and_the_mean(tables):
    measured = cells(tables.runs)
    rates = service_rates(tables.windows)
    table = station_predictions(measured, tables.windows)
    one = table.query(
        "workload == 'get' and model == 'M/M/1' and num_clients == 6 "
        "and measure == 'middleware_response_time_ms'"
    ).iloc[0]
    cell = measured.query("workload == 'get' and num_clients == 6").iloc[0]
    expected = mm1(cell["middleware_throughput_ops_per_s_mean"], rates["get", 8]).response_time
    assert one["predicted"] == pytest.approx(float(expected) * 1000, rel=0.01)
    assert 0 < one["utilization"] <= 1
    assert set(table["model"]) == {"M/M/1", "M/M/m"}


def test_an_open_queue_longer_than_the_clients_is_told(tables):
    table = station_predictions(cells(tables.runs), tables.windows)
    long = table[table["num_in_system"] > table["num_clients"]]
    wrong = long[~long["verdict"].isin(["agrees", "close"])]
    assert wrong["reason"].str.contains("jobs predicted, but only").all()
    assert "**M/M/1** comes within 5\N{NO-BREAK SPACE}%" in station_sentences(table)


def test_reasons_lead_to_errors_of_their_sign(tables):
    table = station_predictions(cells(tables.runs), tables.windows)
    too_little = table[table["relative_error"] < 0]
    assert not too_little["reason"].str.contains("not Poisson").any()
    best_second = table[table["reason"].str.contains("best second")]
    assert (best_second["relative_error"] < 0).all()


def test_the_share_of_queueing_is_told(tables):
    told = queueing_sentences(station_predictions(cells(tables.runs), tables.windows))
    assert "a get waits for" in told and "a set waits for" in told
    assert "% with 8 workers" in told


def test_without_a_middleware_there_is_nothing_to_model(tables):
    nothing = cells(tables.runs).assign(middleware_throughput_ops_per_s_mean=float("nan"))
    with pytest.raises(ValueError, match="no cell has a middleware"):
        station_predictions(nothing, pd.DataFrame())
