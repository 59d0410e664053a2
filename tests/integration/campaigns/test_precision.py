"""A section that asks for precision, for real: measured until it is known, and then no more."""

from remote.campaign import Campaign
from remote.campaign.planning.standing import Verdict
from remote.campaign.view.precision import known_text
from remote.experiment.manifest import read_manifest

SECTION = """
[hosts]
clients = 1
servers = 1
[precision]
throughput = 0.20
repetitions = [2, 6]
budget_s = 60
[factors]
workload = ["get"]
clients_per_thread = [2, 8]
"""


def test_section_is_measured_until_it_is_known(fleet, tmp_path, monkeypatch):
    path = tmp_path / "own.toml"
    path.write_text(SECTION)
    campaign = Campaign.open("trial", data_dir=tmp_path)
    assert campaign.measure(str(path), progress=False) == []
    plan = campaign.planned("own")
    assert [one.verdict for one in plan.standings] == [Verdict.KNOWN] * 2
    for one in plan.standings:
        assert 2 <= len(one.cell.repetitions) <= 6
        assert one.cell.spent_s <= 60
        assert one.goals["throughput"].relative <= 0.20
    table = known_text([plan])
    print(table)
    assert "Section own: 2 of 2 configurations known, throughput ±20 % asked for" in table
    for path_of_run in campaign.path.glob("own/workload=*/rep-?/manifest.json"):
        results = read_manifest(path_of_run.parent).results
        assert results["client_throughput_ops_per_s"] > 0

    def measured_again(*_: object, **__: object) -> None:
        raise AssertionError("what is known is measured again")

    monkeypatch.setattr("remote.campaign.controller.Controller.measure", measured_again)
    assert campaign.missing("own") == []
    assert campaign.measure("own") == []
