"""What manifests tell of calibration, and of the machine's share, reaches tables and claims."""

import json

import pytest

from analysis.chapters.lab_and_network.claims import added_ms
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_campaign, build_network_runs

PING_MS = 1.0  # of the synthetic campaign
CALIBRATION = {"rtt_ms": 1.2, "line_rtt_ms": 1.0, "wake_up_ms": 0.2}


def campaign(folder, *, calibration=None, **more):
    """Write a campaign whose manifests have a topology as given, and a share of the machine."""
    build_campaign(folder, sections=("2.1",), clients_per_thread=(1,), repetitions=2)
    build_network_runs(folder)
    for path in folder.rglob("manifest.json"):
        manifest = json.loads(path.read_text()) | more
        manifest["topology"] |= {"rtt_ms": 1.2, "calibration": calibration}
        path.write_text(json.dumps(manifest))
    return folder


def round_trips(folder):
    pings = tidy_campaign(folder, ["0"]).pings
    return (pings["round_trip_time_mean_ms"] / added_ms(pings)).mean()


def test_pings_of_a_calibrated_lab_are_held_against_its_delay_line(tmp_path):
    calibrated = round_trips(campaign(tmp_path / "new", calibration=CALIBRATION))
    of_old = round_trips(campaign(tmp_path / "old"))
    assert calibrated == pytest.approx(of_old * 1.2, rel=1e-3)
    assert of_old == pytest.approx(PING_MS / 1.2, rel=0.2)


def test_wake_ups_take_the_same_time_of_the_clock_at_any_dilation(tmp_path):
    folder = campaign(tmp_path, calibration=CALIBRATION)
    for path in folder.rglob("manifest.json"):
        manifest = json.loads(path.read_text())
        manifest["topology"]["time_dilation"] = 4.0
        manifest["topology"]["calibration"]["line_rtt_ms"] = 4 * 1.2 - 0.2
        path.write_text(json.dumps(manifest))
    pings = tidy_campaign(folder).pings
    assert pings["line_round_trip_time_ms"].to_numpy() == pytest.approx(1.2 - 0.2 / 4)


def test_a_host_that_is_farther_away_has_round_trips_of_its_own(tmp_path):
    folder = campaign(tmp_path, calibration=CALIBRATION)
    for path in folder.rglob("manifest.json"):
        manifest = json.loads(path.read_text())
        manifest["topology"] |= {"time_dilation": 4.0, "own_rtt_ms": {"s1": 5.0}}
        manifest["topology"]["calibration"]["line_rtt_ms"] = 4 * 1.2 - 0.2
        path.write_text(json.dumps(manifest))
    pings = tidy_campaign(folder).pings
    to_s1 = (pings[["source", "target"]] == "s1").any(axis="columns")
    assert set(pings.loc[to_s1, "emulated_round_trip_time_ms"]) == {5.0}
    assert set(pings.loc[~to_s1, "emulated_round_trip_time_ms"]) <= {1.2}
    line = pings.loc[to_s1, "line_round_trip_time_ms"]
    assert line.to_numpy() == pytest.approx(5.0 - 0.2 / 4)


def test_the_machines_share_and_the_seed_stand_in_the_runs_where_they_are_told(tmp_path):
    told = tidy_campaign(campaign(tmp_path / "new", machine_share=0.03, seed=7)).runs
    assert set(told["machine_share"]) == {0.03}
    assert set(told["campaign_seed"]) == {7}
    old = tidy_campaign(campaign(tmp_path / "old", machine_share=None)).runs
    assert old[["machine_share", "campaign_seed"]].isna().all(axis=None)
