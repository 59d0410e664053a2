"""JupyterLab, as a reader uses it: open a notebook, run all cells, see the figures, export."""

import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from time import monotonic, sleep

import pytest

from analysis.paths import DATA, PROJECT
from tests.helpers.campaign import build_campaign, build_network_runs

pytestmark = pytest.mark.browser
TOKEN = "for-the-tests"
START_S, RUN_S = 60, 150
SETTINGS = "@jupyterlab/notebook-extension/tracker.jupyterlab-settings"


@pytest.fixture(scope="module")
def campaign():
    folder = DATA / f"test-browser-{os.getpid()}"
    try:
        build_campaign(folder, sections=["2.1"], clients_per_thread=(1, 8, 32))
        build_network_runs(folder)
        yield folder.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, campaign):
    """The notebooks as they are shipped, only for another campaign and without a host."""
    folder = tmp_path_factory.mktemp("notebooks")
    for source in (PROJECT / "notebooks").glob("*.ipynb"):
        notebook = json.loads(source.read_text())
        for cell in notebook["cells"]:
            if "parameters" in cell["metadata"].get("tags", []):
                lines = [f'campaign = "{campaign}"\n', 'fleet = "none"\n', 'profile = "smoke"']
                cell["source"] = lines
            if cell["cell_type"] == "code":
                cell["outputs"] = []
        (folder / source.name).write_text(json.dumps(notebook))
    return folder


@pytest.fixture(scope="module")
def server(folder, tmp_path_factory):
    """Start JupyterLab on a free port and return its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = tmp_path_factory.mktemp("home")
    settings = home / "settings" / SETTINGS
    settings.parent.mkdir(parents=True)
    settings.write_text('{"windowingMode": "none"}')  # cells out of sight are there, too
    places = {
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
    }
    options = [
        f"--port={port}", "--ip=127.0.0.1", "--no-browser", "--allow-root",
        f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}",
        "--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly",
        "--ServerApp.open_browser=False", "--log-level=ERROR",
    ]  # fmt: skip
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env={**os.environ, **places}, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/api/status?token={TOKEN}", process, home / "log")
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait_for(url, process, log):
    deadline = monotonic() + START_S
    while monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            sleep(0.3)
    raise AssertionError(f"JupyterLab did not start: {log.read_text()}")


@pytest.fixture
def open_notebook(server, open_page):
    def _open(name):
        opened = open_page(f"{server}/lab/tree/{name}?token={TOKEN}&reset")
        opened.page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=START_S * 1000)
        opened.page.wait_for_function(
            "window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status"
            " === 'idle'",
            timeout=START_S * 1000,
        )
        return opened

    return _open


def run_all(page):
    """Run all cells as the menu does, and wait until the last one is done."""
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")
    page.wait_for_function(
        "() => {"
        " const cells = window.jupyterapp.shell.currentWidget.content.widgets;"
        " const code = cells.filter(cell => cell.model.type === 'code');"
        " return code.every(cell => cell.model.executionCount && "
        " cell.model.executionState !== 'running'); }",
        timeout=RUN_S * 1000,
    )


def errors_in(page):
    return page.locator('[data-mime-type="application/vnd.jupyter.error"]').all_inner_texts()


def test_notebook_runs_and_its_figures_are_drawn(open_notebook, folder, server):
    opened = open_notebook("02-baseline-without-middleware.ipynb")
    page = opened.page
    run_all(page)
    assert errors_in(page) == []
    source = (folder / "02-baseline-without-middleware.ipynb").read_text()
    wanted = source.count("plots.plot_")
    plots = page.locator(".jp-OutputArea .js-plotly-plot")
    page.wait_for_function(
        f"document.querySelectorAll('.jp-OutputArea .js-plotly-plot .main-svg').length >= {wanted}"
    )
    assert plots.count() == wanted
    for index in range(wanted):
        plot = plots.nth(index)
        plot.scroll_into_view_if_needed()
        assert plot.is_visible()
        assert plot.locator(".scatterlayer .trace, .barlayer .trace").count() > 0
    assert page.locator("table caption").count() >= 3
    assert "Campaign test-browser" in page.locator(".jp-Notebook").inner_text()
    assert opened.outside(server, server.replace("http", "ws")) == []


def test_report_is_exported_from_jupyterlab(open_notebook, folder, tmp_path):
    path = folder / "export.ipynb"
    notebook = json.loads(path.read_text())
    only = PROJECT / "notebooks" / "00-lab-and-network.ipynb"
    call = f'export_report(campaign, "--html", "--output", {str(tmp_path)!r}, {str(only)!r})'
    source = "".join(notebook["cells"][-1]["source"])
    assert "export_report(campaign)" in source
    notebook["cells"][-1]["source"] = source.replace("export_report(campaign)", call)
    path.write_text(json.dumps(notebook))
    page = open_notebook("export.ipynb").page
    run_all(page)
    assert errors_in(page) == []
    assert "writing the report" in page.locator(".jp-Notebook").inner_text()
    assert (tmp_path / "report" / "index.html").is_file()
    assert Path(tmp_path / "00-1-round-trip-times.csv").is_file()
