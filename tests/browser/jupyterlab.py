"""JupyterLab on a free port, with a home of its own, for tests that open it in a browser."""

import contextlib
import os
import subprocess
import sys
import urllib.request
from time import monotonic, sleep

from playwright.sync_api import TimeoutError as PageTimeoutError

from tests.helpers.ports import free_port

TOKEN = "for-the-tests"
START_S, RUN_S, STOP_S = 180, 600, 60  # on a machine that has much else to do
# Errors and what is written to stderr look the same on the page, not in the notebook's model.
ERRORS = (
    "window.jupyterapp.shell.currentWidget.content.widgets"
    ".filter(cell => cell.model.type === 'code')"
    ".flatMap(cell => cell.model.outputs.toJSON())"
    ".filter(output => output.output_type === 'error')"
    ".map(error => `${error.ename}: ${error.evalue}`)"
)
ALL_DONE = (
    "() => window.jupyterapp.shell.currentWidget.content.widgets"
    ".filter(cell => cell.model.type === 'code')"
    ".every(cell => cell.model.executionCount && cell.model.executionState !== 'running')"
)
SETTINGS = "@jupyterlab/notebook-extension/tracker.jupyterlab-settings"


@contextlib.contextmanager
def jupyterlab(folder, home):
    """Serve `folder` and yield the address; settings and logs are kept in `home`."""
    port = free_port()
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
        f"--port={port}", "--ServerApp.port_retries=0", "--ip=127.0.0.1",
        "--no-browser", "--allow-root",
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
            try:
                process.wait(timeout=STOP_S)
            finally:
                process.kill()
                process.wait()


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


def open_notebook(open_page, server, name):
    """Open a notebook in a new page and wait for its kernel."""
    opened = open_page(f"{server}/lab/tree/{name}?token={TOKEN}&reset")
    opened.page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=START_S * 1000)
    opened.page.wait_for_function(
        "window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=START_S * 1000,
    )
    return opened


def command(page, name):
    """Do what the menu does, without waiting for its end."""
    page.evaluate(f"() => {{ window.jupyterapp.commands.execute('{name}') }}")


def run_all(page):
    """Run all cells as the menu does, and wait until the last one is done or one has failed."""
    command(page, "notebook:run-all-cells")
    wait_for(page, ALL_DONE, RUN_S)


def wait_for(page, condition, timeout_s):
    """Return when `condition` holds or a cell has failed; else say what stands there."""
    try:
        page.wait_for_function(
            f"() => ({condition})() || {ERRORS}.length", timeout=timeout_s * 1000
        )
    except PageTimeoutError as exc:
        raise AssertionError(page.locator(".jp-Notebook").inner_text()) from exc


def wait_for_kernel(page):
    """Return when the kernel runs what it is sent: for a moment after an interrupt it drops it."""
    page.evaluate(
        "async () => {"
        " const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;"
        " const send = () => kernel.requestExecute({ code: '', silent: true }).done;"
        " while ((await send()).content.status !== 'ok'); }"
    )


def errors_in(page):
    """Return name and text of the errors that cells have ended with."""
    return page.evaluate(f"() => {ERRORS}")
