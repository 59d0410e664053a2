"""Kernels that begin with all that notebooks import: forks of one process that has imported it.

Importing takes two seconds, which every notebook would spend anew.
"""

from __future__ import annotations

import ast
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from threading import Thread
from typing import Any, cast

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

_FORKS = multiprocessing.get_context("forkserver")
_OWN = ("analysis.", "lab.", "records.", "remote.", "report.")
_WHEN_NEEDED = (  # what most notebooks come to import, but not at once
    "ipykernel.kernelapp",
    "plotly.graph_objects",
    "plotly.io",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "scipy.stats",
    "statsmodels.regression.linear_model",
)
_preloaded: set[str] = set()


def import_first(notebooks: Iterable[Any]) -> None:
    """Let kernels that are started from now on begin with what these notebooks import.

    Only modules of this project count, and what those import: others may do anything when they are
    imported. Once the first kernel has been started, this changes nothing.
    """
    sources = [cell.source for book in notebooks for cell in book.cells if "import" in cell.source]
    wanted = {name for source in sources for name in _imported(source)}
    # A fork begins with the main module of its parent, and so with what that has imported.
    _preloaded.update(name for name in wanted | sys.modules.keys() if name.startswith(_OWN))
    _FORKS.set_forkserver_preload([*_WHEN_NEEDED, *sorted(_preloaded)])


def _imported(source: str) -> list[str]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:  # prose, or a cell with an IPython command
        return []
    whole = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return whole + [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]


class ForkedKernelManager(AsyncKernelManager):
    """Starts its kernel, which is a local one, as a fork."""

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        provisioner = cast(LocalProvisioner, self.provisioner)
        arguments = kernel_cmd[kernel_cmd.index("-f") :]
        process = _FORKS.Process(target=serve, args=(arguments, options["cwd"], options["env"]))
        process.start()
        provisioner.process = _Started(process)  # type: ignore[assignment]
        provisioner.pid = process.pid
        self._reconcile_connection_info(provisioner.connection_info)


def serve(arguments: Sequence[str], folder: str | None, environment: Mapping[str, str]) -> None:
    """Be a kernel, as a program of its own would be."""
    from ipykernel.kernelapp import launch_new_instance

    os.setsid()  # what interrupts the report is not to show up in a cell
    os.environ.clear()
    os.environ.update(environment)
    if folder is not None:
        os.chdir(folder)
    sys.argv = ["ipykernel", *arguments]
    Thread(target=_end_with_parent, daemon=True).start()
    launch_new_instance()


def _end_with_parent() -> None:
    """End this kernel when the process that asked for it ends, however it does."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class _Started:
    """A process with the methods of `Popen` that a provisioner calls."""

    stdin = stdout = stderr = None

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)
