import contextlib
import json
import re

import pytest
from click.testing import CliRunner

from analysis.lab.sensitivity import UNEXPLAINED, WORKERS
from remote.campaign import Campaign
from remote.campaign.changes import in_turns
from remote.campaign.changes.in_turns import Study, measure_in_turns, sensitivity_of
from remote.campaign.changes.sensitivity import plan_cases
from remote.campaign.view.cases_table import cases_table
from remote.commands.cli import main
from remote.experiment.section_file import read_section
from remote.providers.local_lab.topology import Topology
from tests.helpers.planning import MadeUpLab, Truth

CONFIG = {"workload": "get", "clients_per_thread": 32, "workers": 64}
AZURE = Topology.named("azure")
POWERS = {"server link rate": 0.8, "machine (by time dilation)": 0.1, WORKERS: 0.3}


def planned(folder, profile="smoke"):
    cases = plan_cases(read_section("3.1", profile), CONFIG, AZURE, step=0.2)
    return Study(cases=cases, campaign_dir=folder, profile=profile)


class FakeLab:
    """Measures what is planned of a case, on a system that follows powers of its parameters."""

    def __init__(self, fails=lambda case: False, breaks_after=1000, **truth):
        self.turns, self.runs = [], []
        self.fails, self.breaks_after, self.truth = fails, breaks_after, truth

    def __call__(self, campaign, case):
        if len(self.turns) >= self.breaks_after:
            raise KeyboardInterrupt
        self.turns.append((campaign.last, case.name))
        throughput = 2900 * case.factor ** POWERS.get(case.parameter, 0.0)
        seed = len(self.turns)
        truth = Truth(throughput=throughput, **self.truth)
        status = "rejected" if self.fails(case) else ""
        lab = MadeUpLab(truth=lambda config, number: truth, fails=lambda run: status, seed=seed)
        while runs := campaign.missing(case.section.name):
            for run in runs:
                lab.measure(run)
        self.runs += [(case.name, run) for run, _ in lab.made]

    def loads(self, name):
        return [run for case, run in self.runs if case == name and run.section.kind == "load"]


@pytest.fixture
def without_model(monkeypatch):
    def no_tables(*_):
        raise ValueError("made up")

    monkeypatch.setattr(in_turns, "campaign_tables", no_tables)


def measured(study, lab):
    measure_in_turns(study, lab)
    return lab


def is_missing(study):
    return any(map(study.is_missing, study.cases_at_k))


def test_repetitions_are_taken_in_turns(tmp_path):
    lab = measured(planned(tmp_path), FakeLab())
    first, second = ([name for turn, name in lab.turns if turn == n] for n in (1, 2))
    assert len(first) == 15
    assert set(first) == set(second)
    assert first[0] == second[0] == "as-it-is"
    assert first != second
    assert lab.turns == sorted(lab.turns, key=lambda turn: turn[0])
    repetitions = [run.repetition for run in lab.loads("workers-x1.203")]
    assert repetitions == list(range(1, len(repetitions) + 1))
    assert len(repetitions) >= 2


def test_each_case_is_a_campaign_of_its_own(tmp_path):
    measured(planned(tmp_path), FakeLab())
    folder = tmp_path / "sensitivity" / "3.1-workload=get_clients_per_thread=32_workers=64"
    assert len(list(folder.iterdir())) == 15
    case = folder / "workers-x1.203" / "3.1" / "workload=get_clients_per_thread=32_workers=77"
    assert (case / "rep-1" / "manifest.json").is_file()


def test_links_are_measured_once_for_each_lab(tmp_path):
    lab = measured(planned(tmp_path), FakeLab())
    links = {name for name, run in lab.runs if run.section.kind == "links"}
    assert len(links) == 9
    assert {"as-it-is", "server-link-rate-x1.2"} < links
    assert not {name for name in links if name.startswith(("workers", "clients", "machine"))}


def test_nothing_is_measured_twice(tmp_path):
    study = planned(tmp_path)
    assert is_missing(study)
    broken = FakeLab(breaks_after=20)
    with pytest.raises(KeyboardInterrupt):
        measured(study, broken)
    rest = measured(study, FakeLab())
    runs = [run.folder for one in (broken, rest) for _, run in one.runs]
    assert len(runs) == len(set(runs))
    assert not is_missing(study)
    assert measured(study, FakeLab()).turns == []


def test_cases_that_are_known_let_the_others_go_on(tmp_path):
    noisy = FakeLab(between=0.05)
    study = planned(tmp_path)
    measured(study, noisy)
    made = {name: len(noisy.loads(name)) for name in {name for name, _ in noisy.runs}}
    fewest, most = study.cases[0].section.repetitions
    assert min(made.values()) >= fewest
    assert fewest < max(made.values()) <= most
    assert len(set(made.values())) > 1


def test_all_are_measured_at_the_dilation_that_the_system_as_it_is_has_chosen(tmp_path):
    study = planned(tmp_path, "quick")
    assert study.time_dilation is None
    lab = measured(study, FakeLab(machine_ms=0.5))
    k = study.time_dilation
    assert lab.loads("as-it-is")[-1].time_dilation == k > 1
    assert {run.time_dilation for run in lab.loads("server-link-rate-x1.2")} == {k}
    (slower,) = {run.time_dilation for run in lab.loads("machine-by-time-dilation-x0.8333")}
    assert slower == pytest.approx(k / 1.2)


def test_the_table_tells_what_throughput_follows(tmp_path, monkeypatch, without_model):
    study, told = planned(tmp_path), []
    quiet = FakeLab(within=0.002, between=0.001)
    monkeypatch.setattr(in_turns, "on_lab", lambda report: contextlib.nullcontext(quiet))
    table = sensitivity_of(study, report=told.append)
    rows = table.set_index("parameter")
    assert rows.index[0] == "server link rate"
    assert rows.index[-1] == UNEXPLAINED
    for name, power in (POWERS | {UNEXPLAINED: 0.1}).items():
        assert rows.loc[name, "measured"] == pytest.approx(power, abs=0.03)
        assert rows.loc[name, "lower"] < power < rows.loc[name, "upper"]
    assert told == ["no model of this system: made up"]


def test_on_another_fleet_than_the_lab_nothing_is_measured(tmp_path):
    table = sensitivity_of(planned(tmp_path), fleet="none")
    assert table["measured"].isna().all()
    assert list(tmp_path.iterdir()) == []


def test_what_is_missing_is_told_without_a_lab(tmp_path):
    study = planned(tmp_path)
    before = cases_table(study)
    assert re.search(r"^server-link-rate-x1.2 +2 +0 ", before, re.M)
    assert "10.0 s between two runs, assumed" in before
    assert list(tmp_path.iterdir()) == []
    measured(study, FakeLab())
    assert "About 0 runs to measure, about 0:00:00" in cases_table(study)


@pytest.fixture
def lab(tmp_path, monkeypatch, without_model):
    """`lab sensitivity 3.1 ...` in a folder of its own, on a made-up lab."""
    monkeypatch.setitem(Campaign.open.__func__.__kwdefaults__, "data_dir", tmp_path)
    monkeypatch.setattr("remote.commands.of_sensitivity._topology", lambda: AZURE)

    def invoke(*words, lab=None):
        fake = lab or FakeLab()
        monkeypatch.setattr(in_turns, "on_lab", lambda report: contextlib.nullcontext(fake))
        return CliRunner().invoke(main, ["sensitivity", "3.1", *words])

    return invoke


CHOSEN = ("--workload", "get", "--clients-per-thread", "32", "--workers", "64")


def test_the_command_prints_the_table(lab):
    done = lab(*CHOSEN)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Section 3.1, workload=get_clients_per_thread=32_workers=64: d log")
    assert lines[3].startswith("server link rate")
    assert lines[-1].startswith(UNEXPLAINED)
    assert "no model of this system" in done.stderr


def test_the_command_prints_json(lab):
    done = json.loads(lab(*CHOSEN, "--json").stdout)
    assert done["configuration"] == CONFIG
    assert done["step"] == 0.2
    assert done["rows"][0]["parameter"] == "server link rate"
    assert done["rows"][0]["model"] is None


def test_the_command_fails_where_something_could_not_be_measured(lab):
    refused = FakeLab(fails=lambda case: case.name == "server-link-rate-x1.2")
    done = lab(*CHOSEN, lab=refused)
    assert done.exit_code == 3
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("server link rate")]
    assert row.split()[-1] == "0"


def test_the_command_lists_what_it_would_measure(lab, tmp_path):
    shown = lab(*CHOSEN, "--dry-run", "--step", "0.5")
    assert shown.exit_code == 0, shown.output
    assert "server-link-rate-x1.5" in shown.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--workload", "get", "--workers", "64"), "--clients-per-thread 1, 8, 32"),
        (("--colour", "red"), "no factor of the section"),
        ((*CHOSEN, "--step", "0"), "--step: a step must be > 0"),
    ],
)
def test_the_command_tells_what_is_wrong(lab, words, message):
    refused = lab(*words)
    assert refused.exit_code == 1
    assert message in refused.output
