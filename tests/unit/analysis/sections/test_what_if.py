import pytest

from analysis.models import System, message_bytes
from analysis.sections.what_if import beside_predictions
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_run

SYSTEM = System(middlewares=1, **message_bytes("get"))
CONFIG = {"workload": "get", "clients_per_thread": 32, "workers": 64}


def measured(folder):
    build_run(folder, "3.1", CONFIG)
    build_run(folder, "3.1", CONFIG, repetition=2, noise=1.01)
    return tidy_campaign(folder)


def test_predictions_stand_beside_what_was_measured(tmp_path):
    tables = measured(tmp_path)
    changes = {"few workers": {"workers": 8}, "fast servers": {"server_link_rate": 200e6}}
    cases = dict.fromkeys(["as it is", *changes], tables)
    table = beside_predictions(SYSTEM, 192, changes, cases)
    assert table["case"].tolist()[::2] == ["as it is", "few workers", "fast servers"]
    as_it_is = table.iloc[0]
    assert as_it_is["bottleneck"] == "server link"
    assert as_it_is["measured"] == pytest.approx(2900, rel=0.02)
    assert abs(as_it_is["relative_error"]) < 0.05
    fast = table[table["case"] == "fast servers"].iloc[0]
    assert fast["predicted"] == pytest.approx(2 * as_it_is["predicted"], rel=0.05)
    assert fast["verdict"] == "differs"


def test_cases_that_were_not_measured_keep_their_prediction():
    cases = {"as it is": None, "few workers": None}
    table = beside_predictions(SYSTEM, 192, {"few workers": {"workers": 8}}, cases)
    assert set(table["verdict"]) == {"not measured"}
    assert table["predicted"].notna().all()
