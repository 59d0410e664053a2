import dataclasses

import pytest

from analysis.chapters.queueing_models.what_if import (
    beside_predictions,
    dilation_table,
    predict_elsewhere,
)
from analysis.laws.summary import cells
from analysis.models import System, message_bytes
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_run

pytestmark = pytest.mark.slow  # chapter 7, which `make test` checks, shows the same

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


@pytest.fixture(scope="module")
def campaign(synthetic):
    return synthetic("0", "3.1", "3.2", "4.1")


def test_other_sections_are_predicted_from_one(campaign):
    table = predict_elsewhere(campaign, campaign.runs)
    assert set(table["section"]) == {"3.2", "4.1"}
    assert len(table) == len(cells(campaign.runs).query("section in ['3.2', '4.1']")) / 2
    two = table.query("section == '3.2' and workload == 'get' and workers == 64").iloc[0]
    assert two["num_middlewares"] == 2
    assert two["predicted"] == pytest.approx(2900, rel=0.03)


def test_nothing_is_predicted_where_only_the_base_was_measured(campaign):
    own = campaign.runs.query("section == '3.1'")
    assert predict_elsewhere(campaign, own).empty


def on_one_machine(tables, cpu_percent):
    """Let all hosts share a machine of two cores, of which each host has a tenth."""
    hosts = tables.hosts.assign(
        shares_machine=True, cpu_percent=cpu_percent, cpu_utilization=0.1, cpu_s=0.2 * 3
    )
    runs = tables.runs.assign(stable_s=3.0, time_dilation=4.0)
    return dataclasses.replace(tables, hosts=hosts, runs=runs)


def test_the_machine_is_the_limit_below_the_dilation_that_the_links_need(campaign):
    tables = on_one_machine(campaign, 80.0)
    table = dilation_table(tables, section="4.1", workload="set", dilations=[1, 2, 16])
    table = table.set_index("time_dilation")
    assert table.index.tolist() == [1, 2, 4, 16]
    saturations = table["machine_saturation_ops_per_s"]
    assert (saturations / saturations[1]).tolist() == pytest.approx([1, 2, 4, 16])
    measured = table["measured_ops_per_s"]
    assert measured.notna().tolist() == [False, False, True, False]
    runs = tables.runs.query("section == '4.1' and num_clients == num_clients.max()")
    others = runs[runs["workers"] < runs["workers"].max()]["client_throughput_ops_per_s"]
    assert saturations[4] == pytest.approx(others.mean() / 0.8, rel=0.01)
    assert table.loc[1, "bottleneck"] == "machine" != table.loc[16, "bottleneck"]
    assert table["throughput_ops_per_s"].is_monotonic_increasing
