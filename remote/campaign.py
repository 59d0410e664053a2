"""A campaign: all runs of one or more sections in one profile, measured, kept and resumed.

What is on disk is the state: a run is done when its folder stands with a manifest. Nothing that is
done is measured again; what was interrupted leaves no run folder and is measured anew.
"""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import NoReturn, Protocol

from tqdm.auto import tqdm

from remote.errors import ConfigError, RemoteError
from remote.group import Fleet
from remote.inventory import LOCAL_LAB_INVENTORY, Host, Inventory
from remote.jobs import clear_jobs
from remote.load_run import LoadSession
from remote.manifest import git_state, read_manifest, utc
from remote.network_run import NetworkSession
from remote.provision import ROOT, Tools, provision
from remote.record import Record, conditions_of, exclusive, topology_of
from remote.run import PARTIAL_SUFFIX, Collected, Run, store
from remote.section import PROFILES, Section

DATA_DIR = ROOT / "data"
NO_FLEET = "none"  # shows what is measured and touches no host
MAX_ATTEMPTS = 3
OVERHEAD_S = 2.5  # start, stop and fetch of one run; only for the first estimate of the duration


class CampaignIncomplete(RemoteError):
    """Some runs were rejected by their checks in every attempt."""

    def __init__(self, rejected: dict[str, str]) -> None:
        self.rejected = rejected
        rows = "\n".join(f"  {label}: {reason}" for label, reason in rejected.items())
        count = f"{len(rejected)} runs were rejected {MAX_ATTEMPTS} times (the attempts are kept)"
        super().__init__(f"{count}:\n{rows}")


class Session(Protocol):
    """What a kind of section needs up while its runs are measured."""

    def __enter__(self) -> Session: ...

    def __exit__(self, *_: object) -> None: ...

    def measure(self, run: Run, collected: Collected) -> None:
        """Perform `run` and fill `collected`."""


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A folder of runs measured with one profile.

    Parameters
    ----------
    path : the campaign's folder; its name is the campaign's name.
    profile : ``smoke``, ``quick`` or ``paper``.
    fleet : ``local`` for the local lab, ``none`` to only show what is measured, else the path of an
        inventory.
    seed : of the order of the runs.
    """

    path: Path
    profile: str
    fleet: str
    seed: int

    @classmethod
    def open(
        cls,
        name: str,
        *,
        profile: str = "smoke",
        fleet: str = "local",
        data_dir: Path = DATA_DIR,
    ) -> Campaign:
        """Open campaign `name`, creating its folder if it is new.

        Raises
        ------
        ConfigError
            The name or the profile is wrong, or the campaign was begun with another profile or
            on another fleet.
        """
        path = data_dir / name
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) or name == "published":
            raise ConfigError(path, "a campaign's name consists of letters, digits, `.`, `_`, `-`")
        if profile not in PROFILES:
            raise ConfigError(path, f"no profile `{profile}`; there are {', '.join(PROFILES)}")
        record = Record.read(path)
        if fleet == NO_FLEET:
            if not path.is_dir():
                raise ConfigError(path, "no such campaign, and fleet `none` measures nothing")
            known = record or Record(profile=profile, seed=0, fleet=fleet)
            return cls(path=path, profile=known.profile, fleet=NO_FLEET, seed=known.seed)
        if record is None:
            seed = random.SystemRandom().randrange(2**32)
            record = Record(profile=profile, seed=seed, fleet=fleet)
        record.require(path, profile=profile, fleet=fleet)
        return cls(path=path, profile=profile, fleet=fleet, seed=record.seed)

    def runs(self, section: str) -> list[Run]:
        """Return the runs of a section in their order: shuffled in blocks of one repetition."""
        plan = Section.read(section, self.profile)
        order: list[Run] = []
        for repetition in range(1, plan.durations.repetitions + 1):
            block = plan.configs()
            random.Random(f"{self.seed}/{section}/{repetition}").shuffle(block)
            order += [
                Run(section=plan, config=config, repetition=repetition, campaign_dir=self.path)
                for config in block
            ]
        return order

    def missing(self, section: str) -> list[Run]:
        """Return the runs of a section that are not done yet."""
        return [run for run in self.runs(section) if not run.is_done()]

    def measure(self, *sections: str, progress: bool = True) -> None:
        """Measure what is missing of `sections`; a finished campaign needs no host at all.

        On fleet ``none`` nothing is measured, whatever is missing.

        Raises
        ------
        CampaignIncomplete
            Runs were rejected in every attempt; all others are done.
        RemoteError, ConfigError
            A host failed or the campaign cannot start; what is done stays done.
        """
        missing = {section: runs for section in sections if (runs := self.missing(section))}
        if not missing or self.fleet == NO_FLEET:
            return
        inventory = Inventory.read(self._inventory_path())
        with self._alone(inventory), Fleet(inventory) as fleet:
            self._extend_record(inventory, missing)
            _end_leftovers(fleet, [runs[0].section for runs in missing.values()])
            bar = _progress_bar(missing, enabled=progress)
            with contextlib.closing(bar):
                rejected: dict[str, str] = {}
                for runs in missing.values():
                    rejected |= self._measure_section(fleet, runs, bar)
        if rejected:
            raise CampaignIncomplete(rejected)

    def _measure_section(
        self, fleet: Fleet, runs: Sequence[Run], bar: tqdm[NoReturn]
    ) -> dict[str, str]:
        section = runs[0].section
        bar.set_description(f"section {section.name}: preparing hosts")
        tools = provision(fleet, _hosts(fleet, section))
        identity = self._identity(fleet.inventory)
        rejected: dict[str, str] = {}
        with _session(fleet, section, tools) as session:
            for run in runs:
                bar.set_description(run.label)
                reason = measure_run(session, run, identity)
                if reason:
                    rejected[run.label] = reason
                bar.update(1)
        return rejected

    def _inventory_path(self) -> Path:
        """Return the inventory's path; a relative one may also start at the project's folder."""
        if self.fleet == "local":
            return LOCAL_LAB_INVENTORY
        path = Path(self.fleet).expanduser()
        return path if path.exists() else ROOT / path

    def _identity(self, inventory: Inventory) -> dict[str, object]:
        return {
            "campaign": self.path.name,
            "seed": self.seed,
            "fleet": inventory.fleet,
            "topology": topology_of(inventory),
            "git": git_state(ROOT),
        }

    def _extend_record(self, inventory: Inventory, missing: Mapping[str, list[Run]]) -> None:
        known = Record.read(self.path)
        record = known or Record(profile=self.profile, seed=self.seed, fleet=self.fleet)
        sections = (runs[0].section for runs in missing.values())
        record.extended(self.path, conditions_of(inventory, sections)).write(self.path)

    @contextlib.contextmanager
    def _alone(self, inventory: Inventory) -> Iterator[None]:
        """Keep other controllers out; clear what an earlier one of this campaign left half written.

        A fleet has one controller: two would end each other's jobs and measure each other's load.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        lock = self.path / ".lock"
        lock.touch()
        with (
            exclusive(lock, "measures this campaign"),
            exclusive(inventory.path, "measures on this fleet"),
        ):
            for leftover in self.path.glob(f"*/*/*{PARTIAL_SUFFIX}"):
                shutil.rmtree(leftover)
            yield


def _hosts(fleet: Fleet, section: Section) -> list[Host]:
    return [
        host for role, count in section.hosts.items() for host in fleet.inventory.take(role, count)
    ]


def _end_leftovers(fleet: Fleet, sections: Sequence[Section]) -> None:
    """End what an earlier control process left running on any host of the fleet that answers."""
    needed = {host for section in sections for host in _hosts(fleet, section)}
    fleet.for_each(needed, clear_jobs)
    with contextlib.suppress(RemoteError):
        fleet.for_each(set(fleet.inventory.hosts) - needed, clear_jobs)


def _session(fleet: Fleet, section: Section, tools: dict[str, Tools]) -> Session:
    kinds: dict[str, type[LoadSession] | type[NetworkSession]] = {
        "load": LoadSession,
        "network": NetworkSession,
    }
    return kinds[section.kind](fleet, section, tools)


def measure_run(session: Session, run: Run, identity: dict[str, object]) -> str:
    """Measure until the run is accepted; return why not after the last attempt, or nothing."""
    reason = ""
    for _ in range(MAX_ATTEMPTS):
        collected = Collected(manifest={"started_at": utc(time.time())})
        try:
            session.measure(run, collected)
        except RemoteError as exc:
            store(run, collected, identity, error=str(exc))
            raise
        manifest = read_manifest(store(run, collected, identity))
        failed = [c for c in manifest["checks"] if not c["passed"] and c["severity"] == "required"]
        if not failed:
            return ""
        reason = "; ".join(f"{c['name']}: {c['detail']}" for c in failed)
    return reason


def _progress_bar(missing: dict[str, list[Run]], *, enabled: bool) -> tqdm[NoReturn]:
    runs = [run for section_runs in missing.values() for run in section_runs]
    estimate = sum(run.section.durations.total_s + OVERHEAD_S for run in runs)
    if enabled:
        tqdm.write(f"{len(runs)} runs to measure, about {timedelta(seconds=round(estimate))}")
    return tqdm(total=len(runs), unit="run", disable=not enabled, dynamic_ncols=True)
