"""A PostgreSQL of its own: data in a folder, a free port, killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from processes import free_port

USER = "postgres"
START_TIMEOUT_S = 30
STOP_TIMEOUT_S = 10


def find_programs() -> Path:
    """Return the folder of the newest PostgreSQL of Debian; exit if there is none."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name)
    )
    if not folders:
        sys.exit("missing programs; as root: apt-get install postgresql")
    return folders[-1]


class Postgres:
    """One cluster below `folder`; it does not run as root, which it would refuse."""

    def __init__(self, folder: Path, *settings: str):
        self.programs = find_programs()
        self._folder = folder
        self._settings = [word for setting in settings for word in ("-c", setting)]
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        folder.mkdir()
        if os.geteuid() == 0:
            subprocess.run(["chown", USER, str(folder)], check=True)
        words = f"-D {folder}/data -U lab --auth=trust --no-sync -E UTF8 --locale=C"
        self._run("initdb", *words.split())

    def start(self) -> None:
        """Return once it takes connections."""
        sockets = "-c listen_addresses=127.0.0.1 -c unix_socket_directories="
        words = f"-D {self._folder}/data -p {self.port} {sockets}"
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command("postgres", *words.split(), *self._settings),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline_s = time.monotonic() + START_TIMEOUT_S
        ready = [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode != 0:
            if self._process.poll() is not None or time.monotonic() > deadline_s:
                raise SystemExit(
                    f"PostgreSQL does not start:\n{(self._folder / 'log').read_text()}"
                )
            time.sleep(0.05)

    def create_database(self, name: str) -> str:
        """Make an empty database; returns its URL."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "lab", name)
        return f"postgresql://lab@127.0.0.1:{self.port}/{name}"

    def query(self, database: str, text: str) -> None:
        """Run a statement in a database."""
        psql = str(self.programs / "psql")
        words = [
            "-q",
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "lab",
            "-d",
            database,
            "-c",
            text,
        ]
        subprocess.run([psql, *words], check=True, stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        """End all its processes at once, as a crash does."""
        assert self._process is not None
        own = _children(self._process.pid)
        os.kill(self._process.pid, signal.SIGKILL)
        for pid in own:
            _send(pid, signal.SIGKILL)
        self._process.wait()
        while any(Path(f"/proc/{pid}").exists() for pid in own):
            time.sleep(0.01)

    def end(self) -> None:
        """Shut it down, so that nothing of it is left in shared memory."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            self._command(program, *words), check=True, stdout=subprocess.DEVNULL, cwd=self._folder
        )

    def _command(self, program: str, *words: str) -> list[str]:
        command = [str(self.programs / program), *words]
        if os.geteuid() != 0:
            return command
        return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]


def _children(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
