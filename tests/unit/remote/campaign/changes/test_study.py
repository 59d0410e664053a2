import re
from dataclasses import replace

import pytest

from records.files.locks import locked
from remote.campaign.changes.study import measure_in_turns, measure_on_reshaped_lab
from remote.campaign.view.dry_run import cases_table
from remote.errors import ConfigError
from tests.helpers.sensitivity import AZURE, FakeLab, planned

STUDY = "remote.campaign.changes.study"


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


def test_all_cases_have_the_middleware_of_the_campaign(tmp_path):
    study = replace(planned(tmp_path), middleware=tmp_path / "mine.toml")
    assert {study.campaign(case).middleware_name for case in study.cases} == {"mine"}
    assert {planned(tmp_path).campaign(case).middleware_name for case in study.cases} == {"mwlab"}


def test_links_are_measured_once_for_each_lab(tmp_path):
    lab = measured(planned(tmp_path, "quick"), FakeLab())
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


def test_all_are_measured_at_the_dilation_that_the_system_as_it_is_has_chosen(tmp_path):
    study = planned(tmp_path, "quick")
    assert study.time_dilation is None
    lab = measured(study, FakeLab(machine_ms=0.5))
    k = study.time_dilation
    assert lab.loads("as-it-is")[-1].time_dilation == k > 1
    assert {run.time_dilation for run in lab.loads("server-link-rate-x1.2")} == {k}
    (slower,) = {run.time_dilation for run in lab.loads("machine-by-time-dilation-x0.8333")}
    assert slower == pytest.approx(k / 1.2)


def test_what_is_missing_is_told_without_a_lab(tmp_path):
    study = planned(tmp_path)
    before = cases_table(study)
    assert re.search(r"^server-link-rate-x1.2 +2 +0 ", before, re.M)
    assert "10.0 s between two runs, assumed" in before
    assert list(tmp_path.iterdir()) == []
    measured(study, FakeLab())
    assert "About 0 runs to measure, about 0:00:00" in cases_table(study)


class ReshapedLab:
    """Stands for the local lab, and for its files."""

    def __init__(self, folder):
        self.directory, self.shapes = folder, [AZURE]

    def reshape(self, topology):
        self.shapes.append(topology)

    def read_topology(self):
        return self.shapes[-1]


@pytest.fixture
def local_lab(tmp_path, monkeypatch):
    lab = ReshapedLab(tmp_path)
    for name in ("LocalLab", "LabFiles"):
        monkeypatch.setattr(f"{STUDY}.{name}", lambda: lab)
    monkeypatch.setattr(f"{STUDY}.Turn.measure", lambda campaign, name, *, progress: [])
    return lab


def test_the_lab_is_reshaped_for_a_case_and_put_back(local_lab, tmp_path):
    study, told = planned(tmp_path), []
    case = next(case for case in study.cases_at_k if case.name == "server-link-rate-x1.2")
    with pytest.raises(KeyboardInterrupt), measure_on_reshaped_lab(told.append) as measure:
        measure(study.campaign(case), case)
        raise KeyboardInterrupt
    assert local_lab.shapes == [AZURE, case.topology.dilated(2), AZURE]
    assert told[0].startswith("server-link-rate-x1.2: repetition")
    with measure_on_reshaped_lab(told.append):
        pass
    assert len(local_lab.shapes) == 3


def test_a_lab_that_another_process_measures_on_is_left_alone(local_lab, tmp_path):
    study = planned(tmp_path)
    with (
        locked(tmp_path),
        measure_on_reshaped_lab(print) as measure,
        pytest.raises(ConfigError, match="another process measures on this lab"),
    ):
        measure(study.campaign(study.cases[0]), study.cases[0])
    assert local_lab.shapes == [AZURE]
