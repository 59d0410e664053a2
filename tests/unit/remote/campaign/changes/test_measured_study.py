import contextlib

import pytest

from analysis.chapters.what_limits_it.claims import BLACK_BOX, FULL_SYSTEM
from analysis.lab.measured_study import MeasuredStudy, find_studies, read_study
from analysis.lab.sensitivity import UNEXPLAINED
from remote.campaign import Campaign
from remote.campaign.changes import study
from remote.campaign.changes.study import measure_in_turns, measure_study
from tests.helpers.sensitivity import AZURE, CONFIG, POWERS, FakeLab, planned


@pytest.fixture
def lab(monkeypatch):
    fake = FakeLab(within=0.002, between=0.001)
    monkeypatch.setattr(
        study, "measure_on_reshaped_lab", lambda report: contextlib.nullcontext(fake)
    )
    monkeypatch.setattr(study, "lab_topology", lambda: AZURE)
    monkeypatch.setattr(MeasuredStudy, "predicted", {})
    return fake


def opened(folder, fleet="local", **more):
    return Campaign.open("one", fleet=fleet, data_dir=folder, **more)


def test_a_study_is_measured_and_then_read_without_a_lab(lab, tmp_path):
    measured = read_study(measure_study(opened(tmp_path), "3.1", CONFIG))
    rows = measured.table().set_index("parameter")
    for name, power in (POWERS | {UNEXPLAINED: 0.1}).items():
        assert rows.loc[name, "measured"] == pytest.approx(power, abs=0.03)
        assert rows.loc[name, "lower"] < power < rows.loc[name, "upper"]
    turns = len(lab.turns)
    again = read_study(measure_study(opened(tmp_path, "none"), "3.1", CONFIG))
    assert again.table().equals(measured.table())
    assert len(lab.turns) == turns


def test_what_is_read_is_what_was_planned(lab, tmp_path):
    plan = planned(tmp_path / "one")
    measure_in_turns(plan, lab)
    read = read_study(plan.folder)
    assert len(read.throughputs) == len(plan.throughputs())
    planned_factors = {(case.parameter, round(case.factor, 3)) for case in plan.cases}
    cells = read.throughputs[["parameter", "factor"]].round(3).drop_duplicates()
    assert set(cells.itertuples(index=False, name=None)) == planned_factors


def test_what_is_not_measured_is_told(tmp_path):
    (tmp_path / "one").mkdir()
    assert find_studies(tmp_path / "one") == {}
    with pytest.raises(FileNotFoundError, match="measure it first, by `lab sensitivity`"):
        read_study(measure_study(opened(tmp_path, "none"), "3.1", CONFIG))


@pytest.mark.parametrize(
    ("name", "section", "levels"),
    [
        (FULL_SYSTEM, "4.1", {"workload": "set", "clients_per_thread": 8, "workers": 8}),
        (BLACK_BOX, "3.1", {"workload": "get", "clients_per_thread": 1}),
    ],
)
def test_claims_are_of_studies_that_can_be_measured(lab, tmp_path, name, section, levels):
    lab.breaks_after = 1
    black_box = {"middleware": "nutcracker"} if "nutcracker" in name else {}
    with contextlib.suppress(KeyboardInterrupt):
        measure_study(opened(tmp_path), section, levels, **black_box)
    assert list(find_studies(tmp_path / "one")) == [name]


def test_single_hosts_are_read_by_their_names(lab, tmp_path):
    plan = planned(tmp_path / "one")
    measure_in_turns(plan, lab)
    for name in ("s3-network-delay-x1.2", "s3-link-rate-x1.2", "s3-CPU-quota-x0.8333"):
        (plan.folder / name).mkdir()
    own = {name for name in read_study(plan.folder).factors if "s3" in name}
    assert own == {"1 / s3 network delay", "s3 link rate", "s3 CPU quota"}
