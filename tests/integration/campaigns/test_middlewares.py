"""Other middlewares, for real: beside ours in one section, watched from outside, and tried."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.tables.tidy_cache import campaign_tables
from lab.cli import main
from records.paths import PROJECT
from remote.campaign import Campaign

EXAMPLE = PROJECT / "examples" / "threads-and-sockets"
COMPARED = """
title = "Middlewares beside each other"
time_dilation = 8
[hosts]
clients = 3
middlewares = 1
servers = 1
[generator]
clients_per_thread = 8
[middleware]
observed = "packets"
[factors]
workload = ["get", "set"]
middleware = ["mwlab", "nutcracker", "haproxy", "mine"]
workers = [32]
[profiles.smoke]
repetitions = 1
warm_up_s = 0.2
stable_s = 0.5
"""
RESPONSE_TIME, P99 = "middleware_response_time_ms", "middleware_response_time_p99_ms"


@pytest.fixture
def mine(tmp_path):
    """A folder with a student's middleware."""
    for name in ("Mine.java", "mine.toml"):
        shutil.copy(EXAMPLE / name, tmp_path / name)
    return tmp_path


@pytest.fixture(scope="module")
def compared(fleet, tmp_path_factory):
    """The tables of all middlewares, as both observers have them."""
    folder = tmp_path_factory.mktemp("compared")
    for name in ("Mine.java", "mine.toml"):
        shutil.copy(EXAMPLE / name, folder / name)
    (folder / "compared.toml").write_text(COMPARED)
    campaign = Campaign.open("compared", data_dir=folder / "data")
    left = campaign.measure(str(folder / "compared.toml"), progress=False)
    assert left == []
    kept = campaign.path / "sections" / "middlewares" / "mine"
    assert {path.name for path in kept.iterdir()} == {"Mine.java", "mine.toml"}
    return campaign_tables(campaign.path, ["compared"], all_observers=True)


def test_all_middlewares_are_measured_by_packets(compared):
    seen = compared.runs[compared.runs["observer"] == "packets"]
    assert len(seen) == 8
    inside, outside = seen[RESPONSE_TIME], seen["client_response_time_ms"]
    assert ((inside > 0.1 * outside) & (inside < outside)).all()
    agreed = seen["middleware_throughput_ops_per_s"] / seen["client_throughput_ops_per_s"]
    assert agreed.between(0.97, 1.03).all()
    assert (seen["middleware_jobs"] > 0).all()
    of_black_boxes = seen[seen["middleware"] != "mwlab"]
    assert of_black_boxes["middleware_queue_length"].notna().all()


def test_packets_tell_what_our_own_stamps_tell(compared):
    own = compared.runs[compared.runs["middleware"] == "mwlab"]
    stamps, packets = (own[own["observer"] == name] for name in ("stamps", "packets"))
    for column, within in [("middleware_throughput_ops_per_s", 0.005), (RESPONSE_TIME, 0.05)]:
        ratios = packets[column].to_numpy() / stamps[column].to_numpy()
        assert ratios == pytest.approx(1, abs=within), column
    assert set(compared.histograms["observer"].dropna()) == {"stamps", "packets"}


def test_workers_are_told_only_to_those_that_have_some(compared):
    runs = compared.runs[compared.runs["observer"] == "packets"]
    workers = runs.groupby("middleware")["workers"].first()
    most = runs["num_clients"].max()
    assert workers.to_dict() == {"mwlab": 32, "mine": 32, "nutcracker": most, "haproxy": most}


def test_lab_try_finds_no_fault_in_the_example_and_leaves_nothing(fleet, mine):
    result = CliRunner().invoke(main, ["try", str(mine / "mine.toml")], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "0 faults" in result.output
    assert "A set is read back, whatever its size         works" in result.output
    left = fleet.for_each(
        fleet.inventory.hosts,
        lambda c: c.run("ls work/jobs 2>/dev/null; pgrep -c java", check=False).stdout,
    )
    assert {name: text.split() for name, text in left.items()} == {
        host.name: ["0"] for host in fleet.inventory.hosts
    }


def test_lab_try_names_a_middleware_that_does_not_start(fleet, mine):
    path: Path = mine / "mine.toml"
    path.write_text(path.read_text().replace("Mine.java -l", "Other.java -l"))
    result = CliRunner().invoke(main, ["try", str(path)], catch_exceptions=False)
    assert result.exit_code == 1
    assert "Other.java" in result.output
