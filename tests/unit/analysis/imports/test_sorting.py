"""Paths are sorted into runs, and a mistake in a plan names the first path that shows it."""

import pytest

from analysis.imports.sorting import PlanError, sort_files
from tests.unit.analysis.imports.folders import PLAN, plan, write_run


def test_groups_state_section_levels_and_repetition(tmp_path):
    write_run(tmp_path, "writes/clients=4/workers=16", repetition=2)
    (run,) = sort_files(plan(), tmp_path).runs
    assert (run.section, run.repetition) == ("3.1", 2)
    assert run.levels == {
        "num_servers": 1,
        "workload": "set",
        "clients_per_thread": 4,
        "workers": 16,
        "value_bytes": 4096,
    }
    assert sorted(file.kind for file in run.files) == ["log", "monitor", "printed"]


def test_an_absent_level_is_left_out(tmp_path):
    write_run(tmp_path, "reads/clients=1/workers=none")
    (run,) = sort_files(plan(), tmp_path).runs
    assert "workers" not in run.levels


def test_repetitions_that_begin_at_0_are_counted_from_1(tmp_path):
    for repetition in (0, 1):
        write_run(tmp_path, repetition=repetition)
    assert sorted(run.repetition for run in sort_files(plan(), tmp_path).runs) == [1, 2]


def test_a_path_that_does_not_match_is_named_with_what_of_it_does(tmp_path):
    write_run(tmp_path)
    write_run(tmp_path, "reads/clients=two/workers=8")
    with pytest.raises(PlanError) as error:
        sort_files(plan(), tmp_path)
    assert "path.pattern: the first path that does not match is " in str(error.value)
    assert "results/reads/clients=two/workers=8/client1-rep1.out" in str(error.value)
    assert "its beginning results/reads/ does" in str(error.value)


def test_a_file_of_no_kind_is_named(tmp_path):
    write_run(tmp_path)
    (tmp_path / "results/reads/clients=1/workers=8/notes.txt").write_text("")
    with pytest.raises(PlanError, match=r"no `name` of files.printed, .* matches 'notes.txt'"):
        sort_files(plan(), tmp_path)


def test_ignored_paths_are_counted(tmp_path):
    write_run(tmp_path)
    (tmp_path / "notes.txt").write_text("")
    text = PLAN.replace('absent = ["none"]', "absent = [\"none\"]\nignore = ['.*\\.txt']")
    assert sort_files(plan(text), tmp_path).ignored == 1


def test_files_of_no_section_are_skipped(tmp_path):
    write_run(tmp_path)
    write_run(tmp_path, "other/clients=1/workers=8")
    text = PLAN.replace('writes = "set" }', 'writes = "set", "*" = "mixed" }')
    found = sort_files(plan(text), tmp_path)
    assert len(found.runs) == 1
    assert set(found.skipped.values()) == {"no section has it"}


def test_a_run_of_two_sections_is_refused(tmp_path):
    write_run(tmp_path)
    text = PLAN.replace("[factors]", '"4.1" = { what = ["reads"] }\n[factors]')
    with pytest.raises(PlanError, match=r"sections: 3.1 and 4.1 both have results/reads/"):
        sort_files(plan(text), tmp_path)


def test_a_level_that_no_setting_has_is_named_with_its_path(tmp_path):
    write_run(tmp_path, "reads/clients=1/workers=many")
    with pytest.raises(PlanError, match=r"workers must be a whole number.*got 'many' in results/"):
        sort_files(plan(), tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(?P<workers>", "(?P<wrokers>", "path.pattern: nothing uses the group 'wrokers'"),
        ('group = "what"', 'group = "whta"', "factors.workload: no pattern has the group 'whta'"),
        ("{ what = [", "{ that = [", "sections: no pattern has the group 'that'"),
        ('"csv-seconds"', '"csv"', "files.log.reader must be one of memtier-stdout"),
        ("'results/(", "'results/((", "path.pattern must be a regular expression"),
        ("all.queueing_time_s", "all.waiting_s", "columns: 'all.waiting_s' is no name"),
        ("num_servers = 1, ", "", "constants.num_servers is missing"),
        ("fleet =", "flete =", "the top level: unknown flete"),
    ],
)
def test_a_wrong_plan_is_refused_by_its_place(old, new, message):
    with pytest.raises(ValueError, match=r".") as error:
        plan(PLAN.replace(old, new))
    assert message in str(error.value)
