"""The notebooks run top to bottom on a synthetic campaign and become the report."""

import os
import shutil

import pytest

from records.paths import DATA
from report.make import make_report, numbered_notebooks
from tests.helpers.campaign import build_campaign, build_network_runs

pytestmark = pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill
BASELINES = ("00-", "02-", "03-")


@pytest.fixture(scope="module")
def campaign():
    """A synthetic campaign that holds every run of the smoke profile, removed afterwards."""
    folder = DATA / f"test-notebooks-{os.getpid()}"
    try:
        build_campaign(folder, clients_per_thread=(1, 8, 32))
        build_campaign(folder, sections=("2.2",), clients_per_thread=(2, 16))
        build_campaign(folder, sections=("3.2",), clients_per_thread=(32,), workers=(64,))
        build_campaign(folder, sections=("4.1",), clients_per_thread=(8, 32))
        build_campaign(folder, sections=("4.4", "5.1", "5.2"))
        build_network_runs(folder)
        yield folder.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def assert_figures_are_drawn(exported):
    for path in exported.figures:
        assert "<image" not in path.read_text(), f"{path.name} holds a raster image"
        assert path.with_suffix(".csv").stat().st_size > 0


@pytest.mark.selected
def test_notebooks_of_the_baselines_become_one_report(campaign, tmp_path):
    chosen = [path for path in numbered_notebooks() if path.name.startswith(BASELINES)]
    exported = make_report(campaign, tmp_path, notebooks=chosen)
    assert exported.pdf.read_bytes().startswith(b"%PDF-")
    for path in chosen:
        page = exported.html.parent / f"{path.stem}.html"
        assert "<strong>Not measured.</strong>" not in page.read_text()
    names = {path.stem for path in exported.figures}
    assert {"00-1-network", "02-1-load", "02-2-load", "03-1-load", "03-2-queue"} <= names
    assert_figures_are_drawn(exported)


def test_all_notebooks_become_one_report(campaign, tmp_path):
    exported = make_report(campaign, tmp_path, notebooks=numbered_notebooks())
    assert exported.pdf.read_bytes().startswith(b"%PDF-")
    for path in exported.html.parent.glob("0[02345]-*.html"):
        assert "<strong>Not measured.</strong>" not in path.read_text()
    assert_figures_are_drawn(exported)
