"""Runs notebooks from top to bottom, as a reader would by "Run all cells", several at a time.

A notebook whose cells, parameters, data and code are as they were at its last execution is not
executed again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import papermill
from jupyter_core.utils import ensure_event_loop
from nbclient.exceptions import DeadKernelError
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from analysis.figures.present import DATA, FIGURES
from records.files.atomic import written_whole
from report.contents.notebook import ReportError, numbered_cells
from report.kernels import ForkedKernelManager, import_first

KERNEL = "python3"
FINGERPRINT = "mwlab_fingerprint"
MEMORY_PER_KERNEL = 1_500_000_000  # bytes; a kernel and the chromium that it draws with
DIED_AT_START = "Kernel died before replying"  # jupyter_client has no exception of its own for it
STARTS = 2  # a kernel that dies before the first cell is started once more
START_TIMEOUT_S = 180  # a busy machine takes long to import what a kernel needs
OUTPUT_TIMEOUT_S = 60  # for a cell's last outputs, some megabytes of figures; nbclient gives 4


@dataclass(frozen=True, kw_only=True)
class Job:
    """A notebook to execute: `notebook` is its content (it may hold notes), `path` its file."""

    path: Path
    notebook: Any
    runs: bool = True


def execute(
    jobs: Sequence[Job],
    parameters: Mapping[str, object],
    folder: Path,
    progress: Callable[[str], None],
    inputs: Iterable[Path] = (),
    finished: Callable[[Path], object] = lambda _: None,
) -> list[Path]:
    """Execute notebooks, as many at a time as there are cores and memory.

    Parameters
    ----------
    jobs : sequence of Job
        The notebooks; their files are left as they are.
    parameters : mapping
        Values for the cell tagged `parameters`.
    folder : Path
        Where the executed notebooks go, under the same names.
    progress : callable
        Takes a line of text when a notebook is begun.
    inputs : iterable of Path
        All that the notebooks are made from, such as data and code: while none of these files
        changes, what was executed before is kept.
    finished : callable
        Takes each executed notebook as soon as it is there; in several threads.

    Returns
    -------
    list of Path
        The executed notebooks.

    Raises
    ------
    ReportError
        A cell ended with an error. The notebook is kept as far as it got.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = _state(inputs)
    import_first(job.notebook for job in jobs if job.runs)
    pool = ThreadPoolExecutor(max_workers=_at_a_time(len(jobs)), thread_name_prefix="execute")
    before = os.environ.get(FIGURES)
    os.environ[FIGURES] = DATA  # of kernels: drawing is done once, by what shows the figures
    try:
        announcements = _announcements(jobs, progress)
        futures = {
            index: pool.submit(
                _execute_one, job, folder, parameters, state, announcements[index], finished
            )
            for index, job in reversed(list(enumerate(jobs)))  # the last chapters take longest
        }
        return [futures[index].result() for index in range(len(jobs))]
    finally:
        pool.shutdown(cancel_futures=True)
        os.environ.pop(FIGURES)
        if before is not None:
            os.environ[FIGURES] = before


def _announcements(
    jobs: Sequence[Job], progress: Callable[[str], None]
) -> list[Callable[[str], None]]:
    def announce(index: int, what: str) -> None:
        progress(f"[{index + 1}/{len(jobs)}] {what} {jobs[index].path.name}")

    return [partial(announce, index) for index in range(len(jobs))]


def _execute_one(
    job: Job,
    folder: Path,
    parameters: Mapping[str, object],
    state: str,
    announce: Callable[[str], None],
    finished: Callable[[Path], object],
) -> Path:
    target = folder / job.path.name
    sources = [cell.source for cell in job.notebook.cells]
    text = json.dumps([sources, dict(parameters), state, job.runs], sort_keys=True, default=str)
    fingerprint = hashlib.sha256(text.encode()).hexdigest()
    if _fingerprint_of(target) == fingerprint:
        announce("unchanged:")
        finished(target)
        return target
    if job.runs:
        announce("executing")
        _run(job, target, parameters)
        notebook = nbformat.read(target, as_version=4)  # type: ignore[no-untyped-call]
    else:
        announce("not measured:")
        notebook = _without_code(job.notebook)
    notebook.metadata[FINGERPRINT] = fingerprint
    with written_whole(target) as part:
        nbformat.write(notebook, part)  # type: ignore[no-untyped-call]
    finished(target)
    return target


def _run(job: Job, target: Path, parameters: Mapping[str, object]) -> None:
    try:
        _run_in_a_kernel(job, target, parameters)
    except PapermillExecutionError as exc:
        message = f"ended with {exc.ename}: {exc.evalue}; kept as far as it got in {target}"
        raise ReportError(job.path, _failed_cell(target), message) from exc
    except DeadKernelError as exc:
        message = f"its kernel died; kept as far as it got in {target}"
        raise ReportError(job.path, None, message) from exc
    except (RuntimeError, TimeoutError, OSError) as exc:  # what jupyter_client and nbclient raise
        message = f"could not be executed, {type(exc).__name__}: {exc}"
        raise ReportError(job.path, None, message) from exc
    finally:
        ensure_event_loop().close()  # of this thread; nbclient leaves it open


def _run_in_a_kernel(job: Job, target: Path, parameters: Mapping[str, object]) -> None:
    for start in range(1, STARTS + 1):
        try:
            with TemporaryDirectory(prefix="kernel-") as sockets:
                papermill.execute_notebook(
                    job.notebook,
                    target,
                    parameters=_own(job.notebook, parameters),
                    kernel_name=KERNEL,
                    language="python",
                    progress_bar=False,
                    start_timeout=START_TIMEOUT_S,
                    iopub_timeout=OUTPUT_TIMEOUT_S,
                    # The kernel's folder; papermill's `cwd` would be that of all threads.
                    resources={"metadata": {"path": str(job.path.parent)}},
                    config=_own_sockets(Path(sockets)),
                    # The kernel's own remarks are no part of the notebook.
                    extra_arguments=["--log-level=CRITICAL"],
                )
        except RuntimeError as exc:
            if start == STARTS or DIED_AT_START not in str(exc):
                raise
        else:
            return


def _own(notebook: Any, parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters that a notebook's tagged cell has; papermill warns of others."""
    tagged = [one for one in notebook.cells if "parameters" in one.metadata.get("tags", [])]
    nodes = [node for cell in tagged for node in ast.walk(ast.parse(cell.source))]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return {name: value for name, value in parameters.items() if name in names}


def _own_sockets(folder: Path) -> Config:
    """Let a kernel be spoken to by sockets in a folder; a TCP port found free may be taken since.

    What connects to a port nobody listens at yet may even be given that port itself.
    """
    config = Config()
    config.KernelManager.transport = "ipc"
    config.KernelManager.connection_file = str(folder / "kernel.json")
    config.NotebookClient.kernel_manager_class = ForkedKernelManager
    return config


def _without_code(notebook: Any) -> Any:
    text = type(notebook)(notebook)
    text.metadata = type(notebook.metadata)(notebook.metadata)
    text.cells = [cell for cell in notebook.cells if cell.cell_type != "code"]
    return text


def _failed_cell(path: Path) -> int | None:
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    for number, cell in numbered_cells(notebook):
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            return number
    return None


def _fingerprint_of(path: Path) -> str | None:
    try:
        found = json.loads(path.read_text())["metadata"].get(FINGERPRINT)
    except (OSError, ValueError, KeyError):
        return None
    return str(found) if found else None


def _state(inputs: Iterable[Path]) -> str:
    """Return a text that changes when a file appears, vanishes, or is written."""
    digest = hashlib.sha256()
    for path in sorted(inputs):
        found = path.stat()
        digest.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _at_a_time(num_notebooks: int) -> int:
    limits = [num_notebooks, os.cpu_count() or 1, _memory_available() // MEMORY_PER_KERNEL]
    return max(1, min(limits))


def _memory_available() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        (line,) = (line for line in lines if line.startswith("MemAvailable:"))
        return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return MEMORY_PER_KERNEL
