import os
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from analysis.figures.present import DATA, FIGURES
from report import kernels
from report.contents.notebook import ReportError
from report.execute import Job, execute

SERVE = kernels.serve
PARAMETERS = new_code_cell('campaign = "none"', metadata={"tags": ["parameters"]})

pytestmark = pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill


def notebook(folder, *sources):
    path = folder / "02-title.ipynb"
    cells = [new_markdown_cell("# 2 Title"), PARAMETERS, *map(new_code_cell, sources)]
    made = new_notebook(cells=cells)
    nbformat.write(made, path)
    return Job(path=path, notebook=made)


def serve_after_deaths(arguments, folder, environment):
    """Be a kernel, as `kernels.serve`, unless too few have died before."""
    count = Path(environment["STARTS"])
    with count.open("a") as file:
        file.write("x")
    if len(count.read_text()) > int(environment["DEATHS"]):
        SERVE(arguments, folder, environment)


@pytest.fixture
def dying_kernels(tmp_path, monkeypatch):
    """Let kernels die at their first `deaths` starts; returns what counts them."""

    def _dying_kernels(deaths):
        monkeypatch.setattr(kernels, "serve", serve_after_deaths)
        monkeypatch.setenv("STARTS", str(tmp_path / "starts"))
        monkeypatch.setenv("DEATHS", str(deaths))
        return tmp_path / "starts"

    return _dying_kernels


def outputs(path):
    cells = nbformat.read(path, as_version=4).cells
    return [output.get("text", "") for cell in cells for output in cell.get("outputs", [])]


def test_notebook_runs_with_its_parameters_and_stays_as_it_was(tmp_path, capfd):
    job = notebook(tmp_path, "print(campaign)")
    before = job.path.read_bytes()
    lines = []
    given = {"campaign": "smoke", "fleet": "of other notebooks"}
    (executed,) = execute([job], given, tmp_path / "build", lines.append)
    assert outputs(executed) == ["smoke\n"]
    assert job.path.read_bytes() == before
    assert lines == ["[1/1] executing 02-title.ipynb"]
    told = capfd.readouterr().err.splitlines()
    # A kernel that ends while its ZeroMQ still polls is told of by that library, rarely.
    assert [line for line in told if "(src/signaler.cpp" not in line] == []


def test_kernels_leave_the_drawing_to_the_report(tmp_path, monkeypatch):
    monkeypatch.delenv(FIGURES, raising=False)
    job = notebook(tmp_path, f"import os\nprint(os.environ['{FIGURES}'])")
    (executed,) = execute([job], {}, tmp_path / "build", print)
    assert outputs(executed) == [f"{DATA}\n"]
    assert FIGURES not in os.environ


@pytest.mark.slow
def test_only_what_changed_is_executed_again(tmp_path):
    data, count = tmp_path / "data.csv", tmp_path / "count"
    data.write_text("1")
    job = notebook(tmp_path, f"open({str(count)!r}, 'a').write('x')")

    def run(job, **parameters):
        execute([job], parameters, tmp_path / "build", lambda _: None, [data])
        return len(count.read_text())

    assert run(job, campaign="a") == 1
    assert run(job, campaign="a") == 1
    assert run(job, campaign="b") == 2
    data.write_text("22")
    assert run(job, campaign="b") == 3
    changed = notebook(tmp_path, f"open({str(count)!r}, 'a').write('y')")
    assert run(changed, campaign="b") == 4


def test_notebook_of_what_is_not_measured_is_kept_as_text(tmp_path):
    job = notebook(tmp_path, "1 / 0")
    text = Job(path=job.path, notebook=job.notebook, runs=False)
    (executed,) = execute([text], {}, tmp_path / "build", lambda _: None)
    assert [cell.source for cell in nbformat.read(executed, as_version=4).cells] == ["# 2 Title"]


def test_failing_cell_is_named_and_the_rest_kept(tmp_path):
    job = notebook(tmp_path, "print('before')", "1 / 0", "print('after')")
    for _ in range(2):  # what failed is executed again
        with pytest.raises(ReportError) as caught:
            execute([job], {"campaign": "smoke"}, tmp_path / "build", lambda _: None)
    kept = tmp_path / "build" / "02-title.ipynb"
    assert str(caught.value) == (
        f"{job.path}, cell 4: ended with ZeroDivisionError: division by zero; "
        f"kept as far as it got in {kept}"
    )
    assert "before\n" in outputs(kept)
    assert "after\n" not in outputs(kept)


@pytest.mark.slow
def test_kernel_that_dies_at_its_start_is_started_once_more(tmp_path, dying_kernels):
    starts = dying_kernels(deaths=1)
    (executed,) = execute([notebook(tmp_path, "print(6)")], {}, tmp_path / "build", lambda _: None)
    assert outputs(executed) == ["6\n"]
    assert starts.read_text() == "xx"


@pytest.mark.slow
def test_kernel_that_never_starts_is_told(tmp_path, dying_kernels):
    starts = dying_kernels(deaths=9)
    with pytest.raises(ReportError, match=r"02-title\.ipynb: could not be executed, .*Kernel died"):
        execute([notebook(tmp_path, "print(6)")], {}, tmp_path / "build", lambda _: None)
    assert starts.read_text() == "xx"
