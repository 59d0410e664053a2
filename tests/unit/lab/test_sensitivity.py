import contextlib
import json

import pytest
from click.testing import CliRunner

from lab import sensitivity
from lab.cli import main
from remote.campaign import Campaign
from tests.helpers.sensitivity import AZURE, CONFIG, FakeLab, planned


@pytest.fixture
def without_model(monkeypatch):
    def no_tables(*_):
        raise ValueError("made up")

    monkeypatch.setattr("analysis.tables.tidy_cache.campaign_tables", no_tables)


@pytest.fixture
def lab(tmp_path, monkeypatch, without_model):
    """`lab sensitivity 3.1 ...` in a folder of its own, on a made-up lab."""
    monkeypatch.setitem(Campaign.open.__func__.__kwdefaults__, "data_dir", tmp_path)
    monkeypatch.setattr("lab.sensitivity.lab_topology", lambda: AZURE)

    def invoke(*words, lab=None):
        fake = lab or FakeLab()
        monkeypatch.setattr(
            sensitivity, "measure_on_reshaped_lab", lambda report: contextlib.nullcontext(fake)
        )
        return CliRunner().invoke(main, ["sensitivity", "3.1", *words])

    return invoke


CHOSEN = ("--workload", "get", "--clients-per-thread", "32", "--workers", "64")


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


def test_the_command_measures_another_middleware(lab, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('command = "mine {{ address }} {{ port }} {{ servers[0] }}"')
    taken = []

    class Noting(FakeLab):
        def __call__(self, campaign, case):
            taken.append((campaign.middleware, case.section.constants["middleware"]))
            super().__call__(campaign, case)

    words = ("--middleware", str(file), "--workload", "get", "--clients-per-thread", "32")
    done = lab(*words, lab=Noting())
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Section 3.1, workload=get_clients_per_thread=32: d log")
    assert "\nworkers" not in done.stdout
    assert set(taken) == {(file, "mine")}
    assert (tmp_path / "smoke" / "middlewares" / "mine" / "sensitivity").is_dir()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--workload", "get", "--workers", "64"), "--clients-per-thread 1, 16"),
        (("--colour", "red"), "no factor of the section"),
        ((*CHOSEN, "--step", "0"), "--step: a step must be > 0"),
    ],
)
def test_the_command_tells_what_is_wrong(lab, words, message):
    refused = lab(*words)
    assert refused.exit_code == 1
    assert message in refused.output


def test_what_was_not_measured_has_no_elasticity(tmp_path):
    table = sensitivity.elasticities(planned(tmp_path), report=print)
    assert table["measured"].isna().all()
    assert list(tmp_path.iterdir()) == []
