"""Measuring from JupyterLab: the bar moves, the live figure grows, an interrupt ends it."""

import json
from time import monotonic, sleep

import pytest

from records.paths import PROJECT
from remote.campaign.states import State
from remote.providers.local_lab import LocalLab
from tests.browser.jupyterlab import (
    ERRORS,
    command,
    errors_in,
    jupyterlab,
    open_notebook,
    run_all,
    wait_for,
    wait_for_kernel,
)
from tests.integration.campaigns.test_campaign import SECTION, open_campaign
from tests.integration.campaigns.test_load_run import jobs_running

REPETITIONS = 2
BEGINS_S, STOPS_S = 600, 600
CELLS = (
    f"import sys\nsys.path.insert(0, {str(PROJECT)!r})\n"
    "from pathlib import Path\nfrom tests.integration.campaigns.test_campaign import open_campaign",
    f'campaign = open_campaign(Path("{{data}}"), repetitions={REPETITIONS})\n'
    f'left = campaign.measure("{SECTION}")',
    'print("not done:", left)',
)
BAR_HAS_MOVED = (
    "() => [...document.querySelectorAll('.jp-OutputArea .progress-bar')]"
    ".some(bar => parseFloat(bar.style.width) > 0)"
)
FIGURE_HAS_GROWN = (
    "() => [...document.querySelectorAll('.jp-OutputArea .js-plotly-plot')]"
    ".some(plot => plot.data?.length === 2 && plot.data.every(trace => trace.x?.length >= 2)"
    " && plot.querySelectorAll('.scatterlayer .point').length >= 4)"
)


@pytest.fixture
def lab(lab_is_free):
    with LocalLab() as lab:
        yield lab


@pytest.fixture
def server(tmp_path, lab):
    """JupyterLab on a notebook that measures a small section on the lab."""
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    sources = [source.replace("{data}", str(tmp_path / "data")) for source in CELLS]
    notebook = {
        "cells": [{**code, "id": f"cell-{n}", "source": text} for n, text in enumerate(sources)],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / "measure.ipynb").write_text(json.dumps(notebook))
    with jupyterlab(tmp_path, tmp_path / "home") as address:
        yield address


def kept(campaign):
    """What is kept of each run that is done, and when it was written."""
    manifests = campaign.path.glob("*/*/*/manifest.json")
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in manifests}


def wait_until(condition, what):
    deadline = monotonic() + STOPS_S
    while not condition():
        assert monotonic() < deadline, what
        sleep(0.1)


def test_measuring_is_watched_interrupted_and_resumed(open_page, server, tmp_path):
    page = open_notebook(open_page, server, "measure.ipynb").page
    campaign = open_campaign(tmp_path / "data", repetitions=REPETITIONS)
    command(page, "notebook:run-all-cells")
    wait_for(page, BAR_HAS_MOVED, BEGINS_S)
    wait_for(page, FIGURE_HAS_GROWN, BEGINS_S)
    assert errors_in(page) == []

    assert State.RUNNING in [state.state for state in campaign.states(SECTION)]
    before = kept(campaign)
    command(page, "notebook:interrupt-kernel")
    page.wait_for_function(f"() => {ERRORS}.length", timeout=STOPS_S * 1000)
    (error,) = errors_in(page)
    assert "KeyboardInterrupt" in error
    wait_until(lambda: not jobs_running(), "processes go on on the hosts")
    states = {state.state for state in campaign.states(SECTION)}
    assert states == {State.DONE, State.TODO}
    assert kept(campaign) == before
    assert not [path for path in campaign.path.glob("*/*/*") if path.suffix]

    wait_for_kernel(page)
    command(page, "notebook:clear-all-cell-outputs")
    run_all(page)
    assert errors_in(page) == []
    assert "not done: []" in page.locator(".jp-Notebook").inner_text()
    assert {state.state for state in campaign.states(SECTION)} == {State.DONE}
    assert before.items() <= kept(campaign).items()
    assert jobs_running() == []
