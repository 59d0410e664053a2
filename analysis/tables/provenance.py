"""Where a campaign's numbers come from: the report's title page and the footnote of each figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from analysis.results.manifests import each_run
from records.manifest import Manifest
from records.manifest_entries import Generator
from records.text.visible import visible
from records.text.words import counted
from records.verdict import ACCEPTED, PILOT

_MOST_FACTORS = 3  # that are told one by one
SHORT_COMMIT = 10


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What the manifests of a campaign, or of some of its sections, say; each distinct value once.

    Attributes
    ----------
    time_dilations
        The factors k, rising.
    num_accepted, num_discarded
        Runs that count, and runs that were rejected or failed.
    """

    campaign: str
    profiles: tuple[str, ...]
    fleets: tuple[str, ...]
    generators: tuple[str, ...]
    commits: tuple[str, ...]
    time_dilations: tuple[float, ...]
    period: tuple[datetime, datetime] | None
    num_accepted: int
    num_discarded: int

    def facts(self) -> list[tuple[str, str]]:
        """Return the rows below the report's contents, name and value."""
        return [
            ("Campaign", f"{self.campaign} (profile {', '.join(self.profiles)})"),
            ("Measured", _describe(self.period) if self.period else "not recorded"),
            ("Runs", f"{self.num_accepted} accepted, {self.num_discarded} rejected or failed"),
            ("Fleet", "; ".join(self.fleets)),
            ("Load generator", ", ".join(self.generators) or "none"),
            ("Git commit", ", ".join(self.commits)),
        ]

    def footnote(self, num_runs: int | None = None) -> str:
        """Say in one line what a figure was made from."""
        count = self.num_accepted if num_runs is None else num_runs
        of = "out of " if num_runs is None else ""
        factors = ", ".join(f"{k:g}" for k in self.time_dilations)
        parts = [
            f"Campaign {self.campaign}: {of}{counted(count, 'run')}",
            *([" and ".join(self.generators)] if self.generators else ["no load"]),
            f"time dilation k = {factors}",
            f"commit {' and '.join(self.commits)}",
        ]
        return "; ".join(parts) + "."


def each_manifest(campaign_dir: Path, sections: Iterable[str] | None = None) -> Iterator[Manifest]:
    """Yield the manifests of the runs of a campaign, of some sections or of all."""
    return (manifest for _, manifest in each_run(campaign_dir, sections))


def read_provenance(campaign_dir: Path, sections: Iterable[str] | None = None) -> Provenance:
    """Read the provenance of a campaign, or of some of its sections.

    Of chosen sections only the runs under load count, not those that measure their links before
    them; a section without load is taken as it is.
    """
    manifests = list(each_manifest(campaign_dir, sections))
    if not manifests:
        raise FileNotFoundError(
            f"{campaign_dir} holds no measured runs: measure first, for instance with `lab run`"
        )
    loaded = [manifest for manifest in manifests if manifest.generator]
    return summarise(loaded if sections is not None and loaded else manifests)


def summarise(manifests: Sequence[Manifest]) -> Provenance:
    """Reduce the manifests of one campaign (at least one) to their provenance."""
    accepted = [manifest for manifest in manifests if manifest.status == ACCEPTED]
    return Provenance(
        campaign=manifests[0].campaign,
        profiles=_distinct(manifest.profile for manifest in manifests),
        fleets=_fleets(manifests),
        generators=_distinct(_generator(manifest.generator) for manifest in manifests),
        commits=_commits(manifests),
        time_dilations=tuple(sorted({m.topology.time_dilation for m in accepted or manifests})),
        period=_period(manifests),
        num_accepted=len(accepted),
        num_discarded=sum(m.status not in (ACCEPTED, PILOT) for m in manifests),
    )


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(visible(value) for value in values if value))


def _fleets(manifests: Sequence[Manifest]) -> tuple[str, ...]:
    """Each fleet and topology once, with all its time dilations, or of many the ends."""
    found: dict[tuple[str, str], set[float]] = {}
    for manifest in manifests:
        topology = manifest.topology
        place = (visible(manifest.fleet), visible(topology.name))
        found.setdefault(place, set()).add(topology.time_dilation)
    return tuple(
        f"{fleet} ({name}, time dilation {_factors(sorted(factors))})"
        for (fleet, name), factors in found.items()
    )


def _factors(factors: Sequence[float]) -> str:
    if len(factors) > _MOST_FACTORS:
        return f"{factors[0]:g} to {factors[-1]:g}"
    return ", ".join(f"{k:g}" for k in factors)


def _generator(generator: Generator | None) -> str:
    """Name and version; the drop-in's version line also names its Java, which is left out."""
    if not generator:
        return ""
    said = generator.version
    version = re.search(r"\bv=(\S+)", said)
    maker = re.search(r"\bgenerator=(\S{1,60} \S+)", said)
    number = version[1] if version else said
    return f"{generator.name} {number}" + (f" ({maker[1]})" if maker else "")


def _commits(manifests: Sequence[Manifest]) -> tuple[str, ...]:
    """Each commit once; with local changes if any run had some."""
    dirty: dict[str, bool] = {}
    for manifest in manifests:
        commit = visible(manifest.git.commit[:SHORT_COMMIT])
        dirty[commit] = dirty.get(commit, False) or manifest.git.dirty
    return tuple(f"{c} with local changes" if changed else c for c, changed in dirty.items())


def _period(manifests: Sequence[Manifest]) -> tuple[datetime, datetime] | None:
    times = [
        datetime.fromisoformat(time)
        for manifest in manifests
        for time in (manifest.started_at, manifest.finished_at)
        if time
    ]
    return (min(times), max(times)) if times else None


def _describe(period: tuple[datetime, datetime]) -> str:
    first, last = period
    end = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    return f"{first:%Y-%m-%d %H:%M} to {end} UTC"
