import numpy as np
import pandas as pd
import pytest

from analysis.models import mm1
from analysis.models.fed_with_closed_loops import service_rates, station_predictions
from analysis.sections.summary import cells
from analysis.tables.tidying import tidy_campaign
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
    one = table.query("workload == 'get' and model == 'M/M/1' and num_clients == 6").iloc[0]
    cell = measured.query("workload == 'get' and num_clients == 6").iloc[0]
    expected = mm1(cell["middleware_throughput_ops_per_s_mean"], rates["get", 8]).response_time
    assert one["predicted"] == pytest.approx(float(expected) * 1000, rel=0.01)
    assert one["measured"] == cell["middleware_response_time_ms_mean"]
    assert 0 < one["utilization"] <= 1
    assert set(table["model"]) == {"M/M/1", "M/M/m"}


def test_at_utilization_one_nothing_is_predicted(tables):
    seconds = tables.windows.assign(throughput_ops_per_s=1.0)
    table = station_predictions(cells(tables.runs), seconds)
    assert np.isnan(table["predicted"]).all()
    assert (table["utilization"] > 1).all()


def test_without_a_middleware_there_is_nothing_to_model(tables):
    nothing = cells(tables.runs).assign(middleware_throughput_ops_per_s_mean=float("nan"))
    with pytest.raises(ValueError, match="no cell has a middleware"):
        station_predictions(nothing, pd.DataFrame())
