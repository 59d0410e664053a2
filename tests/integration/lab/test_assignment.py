"""A lab whose limits are hidden, for real: it is measured as any other, and tells none of them."""

import re

import pytest
from click.testing import CliRunner

from analysis.tables.tidy_cache import campaign_tables
from lab.cli import main
from remote.campaign import Campaign
from remote.campaign.search_file import as_toml
from remote.course.assignment import draw
from remote.experiment.manifest import read_manifest
from remote.hosts.inventory import LOCAL_LAB_INVENTORY
from remote.providers.local_lab import LocalLab

SEED = 17


def hidden_numbers(topology):
    """Rates of limited hosts and the delay, as text; whole ones would be found anywhere."""
    rates = {h.egress.rate_mbit_per_s for h in topology.hosts if h.role != "clients"}
    return {f"{number:g}" for number in (*rates, topology.rtt_ms) if number != int(number)}


@pytest.mark.selected
def test_an_assignment_is_measured_and_tells_no_limit(no_lab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assignment = draw(SEED)
    numbers = hidden_numbers(assignment.topology)
    assert len(numbers) >= 2
    runner = CliRunner()
    try:
        assigned = runner.invoke(main, ["assign", "--seed", str(SEED)])
        assert assigned.exit_code == 0, assigned.output
        status = runner.invoke(main, ["status"])
        assert "its rates and delays are hidden" in status.output
        again = runner.invoke(main, ["assign", "--seed", str(SEED)])
        assert again.exit_code == 0, again.output
        shorter = assignment.document | {
            "factors": {"workload": ["get"], "clients_per_thread": [4], "workers": [20]},
            "precision": {"throughput": 0.2, "repetitions": [2, 3], "budget_s": 60},
        }
        path = tmp_path / "shorter.toml"
        path.write_text(as_toml(shorter))
        campaign = Campaign.open("student", data_dir=tmp_path)
        assert campaign.measure(str(path), progress=False) == []
        inventory = LOCAL_LAB_INVENTORY.read_text()
    finally:
        LocalLab().down()
    section_file = (tmp_path / f"assignment-{SEED}.toml").read_text()
    for text in (assigned.output, status.output, inventory, section_file):
        assert not [n for n in numbers if re.search(rf"(?<![\d.]){re.escape(n)}(?!\d)", text)]
    manifests = list(map(read_manifest, {p.parent for p in campaign.path.rglob("manifest.json")}))
    for manifest in manifests:
        topology = manifest.topology
        assert topology.rtt_ms is topology.calibration is None
        assert set(topology.rates_mbit_per_s.values()) == {None}
    runs = campaign_tables(campaign.path, ["shorter"]).runs
    assert 2 <= len(runs) <= len(manifests)  # those of pilots count as no runs
    assert (runs["client_throughput_ops_per_s"] > 0).all()
