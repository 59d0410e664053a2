import pandas as pd
import pytest

from analysis.sections.full_system import (
    OURS,
    beside_published,
    full_system_table,
    outside_sentences,
    outside_table,
    published_full_system,
    ratio_sentences,
)
from analysis.sections.summary import cells
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_campaign


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    folder = build_campaign(tmp_path_factory.mktemp("synthetic"), sections=["4.1"])
    return full_system_table(cells(tidy_campaign(folder).runs.query("workload == 'set'")))


def test_every_number_of_workers_has_its_capacity(ours):
    assert ours["workers"].tolist() == [8, 64]
    for side in ("middleware", "derived", "client"):
        assert ours[f"{side}_throughput_ops_per_s"].tolist() == pytest.approx(
            [8000, 14000], rel=0.05
        )
    assert (ours["client_throughput_sd_ops_per_s"] > 0).all()


def test_published_queues_are_those_of_both_middlewares():
    published = published_full_system()
    for study in ("yenicelik2018", "cetin2018"):  # Schmid says so himself
        rows = published[published["study"] == study].dropna(subset="queue_length")
        waiting = rows["middleware_throughput_ops_per_s"] * rows["queueing_time_ms"] / 1000
        assert (rows["queue_length"] / waiting).median() == pytest.approx(1, abs=0.3)


def test_studies_stand_below_ours(ours):
    table = beside_published(ours, published_full_system())
    assert set(table["workers"]) == {8, 64}
    assert table["study"].tolist()[:2] == [OURS, "schmid2018"]
    schmid = table.query("study == 'schmid2018' and workers == 64").iloc[0]
    assert schmid["num_clients"] == 144
    assert schmid["client_throughput_ops_per_s"] == 11323


def test_ratios_are_said_by_study(ours):
    text = ratio_sentences(ours, published_full_system()).replace("\N{NARROW NO-BREAK SPACE}", " ")
    first = text.splitlines()[0].replace("\xa0", " ")
    assert first.startswith("- **Schmid 2018**")
    assert "times with 8 workers" in first
    assert "against 6 766" in first


def test_numbers_of_workers_that_no_study_had_are_said(ours):
    assert "No study" in ratio_sentences(ours.assign(workers=7), published_full_system())


def test_time_outside_the_middlewares_is_told_with_its_link():
    times = {"client_response": [20.3, 19.3], "middleware_response": [19.2, 9.9]}
    times |= {"middleware_queueing": [18.1, 0.2]}
    columns = {f"{name}_time_ms_mean": values for name, values in times.items()}
    frame = pd.DataFrame({"workers": [8, 128], "num_clients": 288, **columns})
    outside = outside_table(pd.concat([frame, frame.assign(num_clients=6)]))
    assert outside["outside_ms"].tolist() == pytest.approx([1.1, 9.4])
    assert outside["rest_of_middleware_ms"].tolist() == pytest.approx([1.1, 9.7])
    links = pd.DataFrame({"workers": [8, 128], "resource": "middlewares' links"})
    told = outside_sentences(outside, links.assign(utilization=[0.9, 0.97])).replace("\xa0", " ")
    assert "With 128 workers a set takes 19.3 ms: 0.2 ms in the queue" in told
    assert "The middlewares' links are busy for 97 % of the time then" in told
    assert "links" not in outside_sentences(outside, links.assign(utilization=[0.9, 0.6]))
