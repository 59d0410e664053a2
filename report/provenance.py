"""Where a campaign's numbers come from: the facts on the report's title page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from analysis.run import read_manifest

SHORT_COMMIT = 10


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What the manifests of a campaign say, each distinct value once."""

    campaign: str
    profiles: tuple[str, ...]
    fleets: tuple[str, ...]
    generators: tuple[str, ...]
    commits: tuple[str, ...]
    period: tuple[datetime, datetime] | None
    num_accepted: int
    num_discarded: int

    def facts(self) -> list[tuple[str, str]]:
        """Return the rows of the title page, name and value."""
        return [
            ("Campaign", f"{self.campaign} (profile {', '.join(self.profiles)})"),
            ("Measured", _describe(self.period) if self.period else "not recorded"),
            ("Runs", f"{self.num_accepted} accepted, {self.num_discarded} rejected or failed"),
            ("Fleet", "; ".join(self.fleets)),
            ("Load generator", ", ".join(self.generators) or "none"),
            ("Git commit", ", ".join(self.commits)),
        ]


def read_provenance(campaign_dir: Path) -> Provenance:
    """Read the manifests of all runs of a campaign.

    Raises
    ------
    FileNotFoundError
        The campaign holds no runs.
    ParseError
        A manifest is damaged.
    """
    paths = sorted(campaign_dir.glob("*/*/*/manifest.json"))
    paths = [path for path in paths if path.parent.suffix != ".partial"]
    if not paths:
        raise FileNotFoundError(
            f"{campaign_dir} holds no measured runs: measure first, for instance with `lab run`"
        )
    return summarise([read_manifest(path.parent) for path in paths])


def summarise(manifests: Sequence[Mapping[str, Any]]) -> Provenance:
    """Reduce the manifests of one campaign (at least one) to its provenance."""
    accepted = sum(manifest["status"] == "accepted" for manifest in manifests)
    return Provenance(
        campaign=str(manifests[0]["campaign"]),
        profiles=_distinct(manifest["profile"] for manifest in manifests),
        fleets=_distinct(_fleet(manifest) for manifest in manifests),
        generators=_distinct(_generator(manifest.get("generator")) for manifest in manifests),
        commits=_distinct(_commit(manifest["git"]) for manifest in manifests),
        period=_period(manifests),
        num_accepted=accepted,
        num_discarded=len(manifests) - accepted,
    )


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _fleet(manifest: Mapping[str, Any]) -> str:
    topology = manifest["topology"]
    return f"{manifest['fleet']} ({topology['name']}, time dilation {topology['time_dilation']:g})"


def _generator(generator: Mapping[str, Any] | None) -> str:
    return f"{generator['name']} {generator['version']}" if generator else ""


def _commit(git: Mapping[str, Any]) -> str:
    commit = str(git["commit"])[:SHORT_COMMIT]
    return f"{commit} with local changes" if git["dirty"] else commit


def _period(manifests: Sequence[Mapping[str, Any]]) -> tuple[datetime, datetime] | None:
    times = [
        datetime.fromisoformat(manifest[key])
        for manifest in manifests
        for key in ("started_at", "finished_at")
        if key in manifest
    ]
    return (min(times), max(times)) if times else None


def _describe(period: tuple[datetime, datetime]) -> str:
    first, last = period
    end = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    return f"{first:%Y-%m-%d %H:%M} to {end} UTC"
