"""By how much one and two workers of a Dask cluster are faster than none: `make workers`.

The work is tidying runs of a synthetic campaign, section by section, without a cluster a part of
them; the table goes into docs/workers.md. The tidy tables must be the same, byte by byte, wherever
they are made.
"""

import argparse
import hashlib
import os
import shutil
import sys
import time
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from distributed import LocalCluster

from analysis.results.manifests import MANIFEST
from analysis.tables.tidying import tidy_campaign
from analysis.work import Workers, mapped, workers
from records.paths import PROJECT
from tests.helpers.campaign import build_run

DOCUMENT = PROJECT / "docs" / "workers.md"
BEGIN, END = "<!-- table of make workers -->\n", "<!-- end of table -->"
RUNS, RUNS_IN_SECTION = 10_000, 50
RUNS_ALONE = 1_000
FIRST = "s000"


def build(folder: Path, runs: int) -> list[str]:
    """Write a campaign of as many runs and return its sections, of which all but one are copies."""
    config = {"workload": "set", "clients_per_thread": 4}
    for repetition in range(1, RUNS_IN_SECTION + 1):
        build_run(folder, FIRST, config, repetition=repetition, noise=1 + repetition / 1000)
    sections = [f"s{number:03}" for number in range(max(1, runs // RUNS_IN_SECTION))]
    for section in sections[1:]:
        shutil.copytree(folder / FIRST, folder / section, copy_function=os.link)
        for manifest in (folder / section).rglob(MANIFEST):
            text = manifest.read_text().replace(f'"{FIRST}"', f'"{section}"')
            manifest.unlink()  # it is the other section's, too
            manifest.write_text(text)
    return sections


def tidied(campaign: Path, into: Path, section: str) -> int:
    """Tidy a section and return how many runs it has."""
    return len(tidy_campaign(campaign, [section], into=into).runs)


def digests(folder: Path) -> dict[str, str]:
    """Return what stands for the tables of each section, by their file's name."""
    tables = folder.rglob("*.zip")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tables}


@dataclass(frozen=True, kw_only=True)
class Tidied:
    """How many runs were made into tables, how long that took, and what stands for the tables."""

    runs: int
    seconds: float
    tables: dict[str, str]

    @property
    def runs_per_s(self) -> float:
        """How many runs a second."""
        return self.runs / self.seconds


def measure(campaign: Path, sections: list[str], those: Workers) -> Tidied:
    """Make some sections of a campaign into tables."""
    with TemporaryDirectory() as name:
        into = Path(name)
        (into / "tidy").mkdir()
        list(mapped(_load, range(those.count), within=those))
        begun_s = time.monotonic()
        runs = sum(mapped(partial(tidied, campaign, into), sections, within=those))
        seconds = time.monotonic() - begun_s
        print(f"{runs} runs in {seconds:.0f} s, {those.count} at a time", flush=True)
        assert runs == len(sections) * RUNS_IN_SECTION
        return Tidied(runs=runs, seconds=seconds, tables=digests(into))


def _load(_: int) -> None:
    """Import what tidying needs: that is done once."""
    import_module(tidy_campaign.__module__)


def main() -> int:
    """Measure with no, one and two workers, and write the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=RUNS)
    asked = arguments.parse_args().runs
    with TemporaryDirectory() as name:
        campaign = Path(name)
        sections = build(campaign, asked)
        with workers(1) as those:
            alone = measure(campaign, sections[: RUNS_ALONE // RUNS_IN_SECTION], those)
        found = {"no cluster": alone}
        for count in (1, 2):
            with (
                LocalCluster(
                    n_workers=count, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
                ) as cluster,
                workers(scheduler=cluster.scheduler_address) as those,
            ):
                found[f"{count} worker{'s' * (count > 1)}"] = measure(campaign, sections, those)
    lines = ["| | runs | seconds | runs a second | speed-up |", "|---|---|---|---|---|"]
    known: dict[str, str] = {}
    for where, of in found.items():
        same = [known.get(table, digest) == digest for table, digest in of.tables.items()]
        assert all(same), f"{where}: the tables differ"
        known |= of.tables
        speed_up = of.runs_per_s / alone.runs_per_s
        cells = f"{of.runs} | {of.seconds:.0f} | {of.runs_per_s:.1f} | {speed_up:.2f}"
        lines.append(f"| {where} | {cells} |")
    table = "\n".join(lines)
    before, rest = DOCUMENT.read_text().split(BEGIN)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{rest.split(END)[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
