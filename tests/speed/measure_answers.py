"""How long readers wait for answers: part of `make bench`, adds its rows to answers.csv.

Each case is a command, or the cells of a notebook, in a process of its own. The report and the
first claims are made without anything kept from before. The campaign of 10 000 runs is a synthetic
one: five sections of 2 000 configurations, in `data/` while this runs.

    python tests/speed/measure_answers.py --rounds 3
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from records.paths import DATA, PROJECT
from remote.experiment.manifest import git_state
from tests.helpers.campaign import build_run

RESULTS = Path(__file__).with_name("answers.csv")
BUILD = PROJECT / "build"
LAB = [str(PROJECT / ".venv" / "bin" / "lab")]
NOTEBOOK = "03-baseline-with-middleware.ipynb"
SYNTHETIC = "synthetic-runs"
RUNS_MISSING = 3
SECTIONS, CLIENTS, WORKERS = "abcde", range(1, 401), (8, 16, 32, 64, 128)
SECTION = f"""\
title = "Many runs"

[hosts]
clients = 3
middlewares = 1
servers = 1

[generator]
instances_per_client = 1
threads_per_instance = 2
value_bytes = 4096
key_count = 10000

[factors]
workload = ["set"]
clients_per_thread = {list(CLIENTS)}
workers = {list(WORKERS)}

[profiles.smoke]
repetitions = 1
warm_up_s = 1
stable_s = 5
cool_down_s = 1
"""
RUN_CELLS = """
import sys, nbformat
from nbclient import NotebookClient
NotebookClient(nbformat.read(sys.argv[1], as_version=4), timeout=600,
               resources={"metadata": {"path": "notebooks"}}).execute()
"""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A command, how long it may take, and what is removed before it begins."""

    name: str
    command: Sequence[str]
    most_s: float
    kept: Sequence[Path] = ()


def cases(reports: Path) -> list[Case]:
    """Return the cases in their order; reports go into the folder `reports`."""
    export = ["export", "--campaign", "reference", "--output", str(reports)]
    run_cells = [sys.executable, "-c", RUN_CELLS, str(PROJECT / "notebooks" / NOTEBOOK)]
    next_run = ["run", *SECTIONS, "--campaign", SYNTHETIC, "--dry-run"]
    notebooks = BUILD / "notebooks" / "reference"
    return [
        Case(name="report of the reference", command=[*LAB, *export], most_s=45, kept=[notebooks]),
        Case(name="claims of the reference", command=[*LAB, "claims", "reference"], most_s=2),
        Case(name="state of the reference", command=[*LAB, "campaign", "reference"], most_s=1),
        Case(name="cells of notebook 03", command=run_cells, most_s=8),
        Case(name="state of 10 000 runs", command=[*LAB, "campaign", SYNTHETIC], most_s=5),
        Case(name="claims of 10 000 runs", command=[*LAB, "claims", SYNTHETIC], most_s=5),
        Case(name="next run after 10 000", command=[*LAB, *next_run], most_s=5),
    ]


@contextmanager
def synthetic_campaign() -> Iterator[None]:
    """Have a campaign of 10 000 runs among those of the project."""
    folder = DATA / SYNTHETIC
    shutil.rmtree(folder, ignore_errors=True)
    try:
        (folder / "sections").mkdir(parents=True)
        for section in SECTIONS:
            (folder / "sections" / f"{section}.toml").write_text(SECTION)
            _write_runs(folder, section)
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_runs(campaign_dir: Path, section: str) -> None:
    """Write a section's runs: manifests as that of the first but for the configuration."""
    config = {"workload": "set", "clients_per_thread": CLIENTS[0], "workers": WORKERS[0]}
    folder = build_run(campaign_dir, section, config)
    text = (folder / "manifest.json").read_text()
    for clients in CLIENTS:
        for workers in WORKERS:
            name = f"workload=set_clients_per_thread={clients}_workers={workers}"
            run = campaign_dir / section / name / "rep-1"
            run.mkdir(parents=True, exist_ok=True)
            own = text.replace('"workers": 8', f'"workers": {workers}')
            own = own.replace('"clients_per_thread": 1', f'"clients_per_thread": {clients}')
            (run / "manifest.json").write_text(own)


def measure(case: Case) -> dict[str, object]:
    """Run a case to its end; return seconds and the most memory of its first process in MiB."""
    for kept in case.kept:
        shutil.rmtree(kept, ignore_errors=True)
    began_s = time.monotonic()
    process = subprocess.Popen(case.command, cwd=PROJECT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    elapsed_s = time.monotonic() - began_s
    if process.returncode not in (0, RUNS_MISSING):
        raise SystemExit(f"`{' '.join(case.command)}` ended with status {process.returncode}")
    return {
        "case": case.name,
        "elapsed_s": round(elapsed_s, 2),
        "peak_mib": round(usage.ru_maxrss / 1024),
    }


def facts() -> dict[str, object]:
    """Return date, commit (with + if the work tree differs) and processor."""
    git = git_state(PROJECT)
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": git.commit[:8] + ("+" if git.dirty else ""),
        "processor": f"{len(models)} x {models[0]}" if models else "unknown",
    }


def main() -> None:
    """Measure all cases in turns, add the rows to the history, and print it as medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = range(1, parser.parse_args().rounds + 1)
    with TemporaryDirectory() as reports, synthetic_campaign():
        tried = cases(Path(reports))
        rows = [
            {**facts(), "round": number, **measure(case)} for number in rounds for case in tried
        ]
    known = [pd.read_csv(RESULTS)] if RESULTS.exists() else []
    history = pd.concat([*known, pd.DataFrame(rows)])
    history.to_csv(RESULTS, index=False)
    names = [case.name for case in tried]
    by_run = history.pivot_table("elapsed_s", "case", ["date", "commit"], "median").reindex(names)
    by_run["most", ""] = [case.most_s for case in tried]
    print("Seconds, medians; history in", RESULTS.relative_to(PROJECT))
    print(by_run.to_string())


if __name__ == "__main__":
    main()
