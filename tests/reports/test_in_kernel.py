"""Notebooks that are run by hand on a campaign that lacks what they tell of."""

import os
import shutil

import nbformat
import papermill
import pytest

from analysis.figures import present
from records.paths import DATA
from report.make import numbered_notebooks
from tests.helpers.campaign import build_campaign, build_run

REJECTED = {"workload": "set", "clients_per_thread": 8, "workers": 8}


@pytest.fixture(scope="module")
def campaign():
    """A campaign of section 3.1; of 3.2 every run was rejected."""
    folder = DATA / f"test-in-kernel-{os.getpid()}"
    try:
        build_campaign(folder, sections=("3.1",))
        build_run(folder, "3.2", REJECTED, status="rejected")
        yield folder.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(number, campaign, tmp_path, monkeypatch):
    monkeypatch.setenv(present.FIGURES, present.DATA)
    (path,) = [path for path in numbered_notebooks() if path.name.startswith(number)]
    return papermill.execute_notebook(
        path,
        tmp_path / path.name,
        parameters={"campaign": campaign, "profile": "smoke"},
        cwd=path.parent,
        progress_bar=False,
    )


def markdown(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    return [output.get("data", {}).get("text/markdown", "") for output in outputs]


@pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill
def test_what_there_is_of_a_chapter_is_shown(campaign, tmp_path, monkeypatch):
    notebook = run("03-", campaign, tmp_path, monkeypatch)
    shown = markdown(notebook)
    (note,) = [text for text in shown if "**Not measured.**" in text]
    assert f"`lab run 3.2 --campaign {campaign}` measures it." in note
    assert any(text.startswith("*One middleware: throughput") for text in shown)
    assert not any(text.startswith("*Two middlewares") for text in shown)


@pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill
@pytest.mark.parametrize("number", ["02-", "12-", "13-"])
def test_a_chapter_that_was_not_measured_says_so(number, campaign, tmp_path, monkeypatch):
    notebook = run(number, campaign, tmp_path, monkeypatch)
    assert any("**Not measured.**" in text for text in markdown(notebook))
    assert not any("Campaign" in text and "runs;" in text for text in markdown(notebook))


def test_nothing_is_left_out_on_a_fleet_that_measures(campaign, tmp_path):
    for fleet, told in (("none", True), ("local", False)):
        notebook = nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_code_cell(
                    "from types import SimpleNamespace\n"
                    "from records.paths import DATA\n"
                    "from report.in_kernel import leave_out_unmeasured\n"
                    f"path = DATA / {campaign!r}\n"
                    f"measured = SimpleNamespace(path=path, fleet={fleet!r}, measure=print)\n"
                    "leave_out_unmeasured(measured)"
                ),
                nbformat.v4.new_code_cell('measured.measure("3.2")'),
            ],
        )
        path = tmp_path / f"{fleet}.ipynb"
        nbformat.write(notebook, path)
        run_one = papermill.execute_notebook(
            path, path, cwd=DATA.parent, progress_bar=False, kernel_name="python3"
        )
        assert any("**Not measured.**" in text for text in markdown(run_one)) is told
