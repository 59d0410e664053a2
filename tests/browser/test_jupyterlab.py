"""JupyterLab, as a reader uses it: open a notebook, run all cells, see the figures, export."""

import json
from pathlib import Path

import pytest

from records.paths import PROJECT
from tests.browser.jupyterlab import errors_in, jupyterlab, open_notebook, run_all


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The notebooks as they are shipped, which is on the reference campaign; without outputs."""
    folder = tmp_path_factory.mktemp("notebooks")
    for source in (PROJECT / "notebooks").glob("*.ipynb"):
        notebook = json.loads(source.read_text())
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = []
        (folder / source.name).write_text(json.dumps(notebook))
    return folder


@pytest.fixture(scope="module")
def server(folder, tmp_path_factory):
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        yield address


@pytest.mark.selected
def test_notebook_runs_and_its_figures_are_drawn(open_page, folder, server):
    opened = open_notebook(open_page, server, "02-baseline-without-middleware.ipynb")
    page = opened.page
    run_all(page)
    assert errors_in(page) == [], page.locator(".jp-Notebook").inner_text()
    source = (folder / "02-baseline-without-middleware.ipynb").read_text()
    wanted = source.count("present.figure(")
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
    assert "Campaign reference" in page.locator(".jp-Notebook").inner_text()
    assert opened.outside(server, server.replace("http", "ws")) == []


def test_a_control_draws_another_figure(open_page, server):
    opened = open_notebook(open_page, server, "03-baseline-with-middleware.ipynb")
    page = opened.page
    run_all(page)
    assert errors_in(page) == [], page.locator(".jp-Notebook").inner_text()
    control = page.locator(".widget-dropdown select").first
    control.scroll_into_view_if_needed()
    page.get_by_text("sets, 8 workers", exact=True).first.wait_for()
    control.select_option("get")
    page.get_by_text("gets, 8 workers", exact=True).first.wait_for()


def test_report_is_exported_from_jupyterlab(open_page, folder, server, tmp_path):
    path = folder / "export.ipynb"
    notebook = json.loads(path.read_text())
    only = PROJECT / "notebooks" / "00-lab-and-network.ipynb"
    call = f'export_report(campaign, "--html", "--output", {str(tmp_path)!r}, {str(only)!r})'
    source = "".join(notebook["cells"][-1]["source"])
    assert "export_report(campaign)" in source
    notebook["cells"][-1]["source"] = source.replace("export_report(campaign)", call)
    path.write_text(json.dumps(notebook))
    page = open_notebook(open_page, server, "export.ipynb").page
    run_all(page)
    assert errors_in(page) == [], page.locator(".jp-Notebook").inner_text()
    assert "writing the report" in page.locator(".jp-Notebook").inner_text()
    assert (tmp_path / "report" / "index.html").is_file()
    assert Path(tmp_path / "00-1-network.csv").is_file()
