"""Outcomes of claims are kept, and judged anew when anything that they depend on has changed."""

import json
import shutil

import pytest

from analysis.chapters import claims as chapters
from analysis.chapters.claims import claims_of
from analysis.claims import fingerprint
from records.paths import PROJECT
from tests.helpers.campaign import build_campaign

CHAPTERS = (2, 3)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A campaign with tidy tables: its claims were judged once."""
    data = tmp_path_factory.mktemp("data")
    campaign = data / "mine"
    build_campaign(campaign, sections=("2.1", "3.1"), clients_per_thread=(8,), workers=(8,))
    chapters.judge_chapters(campaign, CHAPTERS)
    return campaign


@pytest.fixture
def campaign(measured, tmp_path, monkeypatch):
    """A copy of the campaign, and a folder of its own for outcomes."""
    copy = shutil.copytree(measured, tmp_path / "data" / "mine")
    monkeypatch.setattr(chapters, "DATA", copy.parent)
    monkeypatch.setattr(chapters, "KEPT", tmp_path / "kept")
    return copy


@pytest.fixture
def judged(monkeypatch):
    """The chapters that were judged, in order."""
    numbers = []
    judge = chapters.judge_chapters

    def noted(campaign_dir, asked):
        numbers.extend(asked)
        return judge(campaign_dir, asked)

    monkeypatch.setattr(chapters, "judge_chapters", noted)
    return numbers


def told(outcomes):
    """All fields of outcomes; as text, because NaN differs from itself."""
    return [
        (id(one.claim), repr(one.estimate), one.instead, one.verdict, one.to_dict())
        for one in outcomes
    ]


def test_kept_outcomes_equal_those_that_were_judged(campaign, judged):
    first = claims_of(campaign, 3)
    assert judged == [3]
    assert told(claims_of(campaign, 3)) == told(first)
    assert judged == [3]
    values = [one.estimate.value for one in first]
    assert any(value != value for value in values)  # undecided claims have NaN
    assert not all(value != value for value in values)


def test_each_chapter_is_kept_by_itself(campaign, judged, monkeypatch):
    claims_of(campaign, 3)
    monkeypatch.setattr(chapters, "CHAPTERS", {n: chapters.CHAPTERS[n] for n in CHAPTERS})
    claims_of(campaign)
    assert judged == [3, 2]


def change_manifest(campaign):
    path = min(campaign.glob("3.1/*/*/manifest.json"))
    path.write_text(path.read_text() + "\n")


def drop_run(campaign):
    shutil.rmtree(min(campaign.glob("3.1/*/rep-2")))


def change_table(campaign):
    with (campaign / "tidy" / "3.1.zip").open("ab") as file:
        file.write(b"\0")


def drop_table(campaign):
    (campaign / "tidy" / "3.1.zip").unlink()


def add_study(campaign):
    shutil.copytree(campaign / "3.1", campaign / "sensitivity" / "one" / "clients-x2" / "3.1")


def add_middleware(campaign):
    shutil.copytree(campaign / "3.1", campaign / "middlewares" / "other" / "3.1")


def add_a_studys_machine(campaign):
    shutil.copytree(campaign / "3.1", campaign.parent / "schmid2018" / "schmid2018")


@pytest.mark.parametrize(
    "change",
    [
        change_manifest,
        drop_run,
        change_table,
        drop_table,
        add_study,
        add_middleware,
        add_a_studys_machine,
    ],
)
def test_a_changed_campaign_is_judged_anew(campaign, judged, change):
    claims_of(campaign, 3)
    change(campaign)
    claims_of(campaign, 3)
    assert judged == [3, 3]
    claims_of(campaign, 3)
    assert judged == [3, 3]


def test_what_stands_around_another_middleware_counts(campaign, judged):
    inside = shutil.copytree(campaign / "3.1", campaign / "middlewares" / "other" / "3.1").parent
    claims_of(inside, 3)
    claims_of(inside, 3)
    assert judged == [3]
    drop_run(campaign)
    claims_of(inside, 3)
    assert judged == [3, 3]


def test_other_code_judges_anew(campaign, judged, monkeypatch):
    claims_of(campaign, 3)
    monkeypatch.setattr(fingerprint, "CODE", "other code")
    claims_of(campaign, 3)
    assert judged == [3, 3]


@pytest.mark.parametrize(
    "name", ["analysis/chapters/any.py", "records/any.py", "data/published/any.csv"]
)
def test_the_digest_of_code_depends_on_contents_alone(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("ONE = 1\n")
    before = fingerprint.code_digest(tmp_path)
    path.write_text("ONE = 2\n")
    assert fingerprint.code_digest(tmp_path) != before
    path.write_text("ONE = 1\n")
    assert fingerprint.code_digest(tmp_path) == before


def test_the_digest_of_code_names_the_libraries(tmp_path, monkeypatch):
    before = fingerprint.code_digest(tmp_path)
    monkeypatch.setattr(fingerprint, "version", lambda name: "0")
    assert fingerprint.code_digest(tmp_path) != before
    assert fingerprint.code_digest(PROJECT) == fingerprint.code_digest(PROJECT)


def test_raw_files_and_logs_of_runs_are_not_read(campaign, judged):
    claims_of(campaign, 3)
    (run,) = campaign.glob("3.1/workload=set*/rep-1")
    (run / "manifest.json.gz").mkdir()
    (run / "pipe").symlink_to("/dev/zero")
    (campaign / "raw").mkdir()
    (campaign / "raw" / "3.1.tar.xz").symlink_to("/dev/zero")
    claims_of(campaign, 3)
    assert judged == [3]


def test_nothing_is_kept_where_the_folder_cannot_be_written(campaign, judged, monkeypatch):
    file = campaign.parent / "file"
    file.touch()
    monkeypatch.setattr(chapters, "KEPT", file / "below")
    assert told(claims_of(campaign, 3)) == told(claims_of(campaign, 3))
    assert judged == [3, 3]


@pytest.mark.parametrize("content", ["", "{", "[]", "other form", "no outcomes", "text", "renamed"])
def test_a_damaged_kept_file_is_written_anew(campaign, judged, content, tmp_path):
    first = claims_of(campaign, 3)
    path = tmp_path / "kept" / "mine" / "3.json"
    kept = json.loads(path.read_text())
    outcomes = kept["outcomes"]
    changed = {
        "other form": {**kept, "format": 0},
        "no outcomes": {**kept, "outcomes": []},
        "text": {**kept, "outcomes": [{**outcomes[0], "estimate": "0.9"}, *outcomes[1:]]},
        "renamed": {**kept, "outcomes": [{**outcomes[0], "id": "other"}, *outcomes[1:]]},
    }
    path.write_text(json.dumps(changed[content]) if content in changed else content)
    assert told(claims_of(campaign, 3)) == told(first)
    assert judged == [3, 3]
    claims_of(campaign, 3)
    assert judged == [3, 3]


def test_a_link_in_place_of_a_manifest_is_never_kept(campaign, judged):
    path = min(campaign.glob("3.1/*/*/manifest.json"))
    real = path.rename(campaign.parent / "manifest.json")
    path.symlink_to(real)
    for _ in range(2):
        with pytest.raises(ValueError, match="it is a link"):
            claims_of(campaign, 3)
    assert judged == [3, 3]
