"""A report whose process is killed leaves no kernel behind."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from records.paths import PROJECT
from remote.waiting import until

EXECUTE = """
import sys, nbformat
from pathlib import Path
from report.execute import Job, execute
if __name__ == "__main__":
    path = Path(sys.argv[1])
    execute([Job(path=path, notebook=nbformat.read(path, as_version=4))], {}, path.parent, print)
"""
DEADLINE_S = 120  # ends a test that hangs


@pytest.mark.selected
def test_kernels_end_with_the_process_that_is_killed(tmp_path):
    told = tmp_path / "pid"
    cell = (
        "import os, time\nfrom pathlib import Path\n"
        f"Path({str(told)!r}).write_text(f'{{os.getpid()}} ')\ntime.sleep(600)"
    )
    notebook = tmp_path / "02-sleeps.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(cell)]), notebook)
    script = tmp_path / "execute.py"
    script.write_text(EXECUTE)
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    with subprocess.Popen([sys.executable, script, notebook], env=environment) as process:
        try:
            assert until(lambda: told.exists() and told.read_text().endswith(" "), DEADLINE_S)
        finally:
            process.kill()
    kernel = Path("/proc", told.read_text().strip())
    assert until(lambda: not kernel.exists(), DEADLINE_S)
