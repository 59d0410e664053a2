"""Where a campaign's numbers come from: the facts on the report's title page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

SHORT_COMMIT = 10


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What the manifests of a campaign say, each distinct value once."""

    campaign: str
    profiles: tuple[str, ...]
    fleets: tuple[str, ...]
    generators: tuple[str, ...]
    commits: tuple[str, ...]
    started: datetime
    finished: datetime
    num_accepted: int
    num_rejected: int

    def facts(self) -> list[tuple[str, str]]:
        """Return the rows of the title page, name and value."""
        return [
            ("Campaign", f"{self.campaign} (profile {', '.join(self.profiles)})"),
            ("Measured", _period(self.started, self.finished)),
            ("Runs", f"{self.num_accepted} accepted, {self.num_rejected} rejected"),
            ("Fleet", "; ".join(self.fleets)),
            ("Load generator", ", ".join(self.generators)),
            ("Git commit", ", ".join(self.commits)),
        ]


def read_provenance(campaign_dir: Path) -> Provenance:
    """Read the manifests of all runs of a campaign.

    Raises
    ------
    FileNotFoundError
        The campaign holds no runs.
    """
    paths = sorted(campaign_dir.rglob("manifest.json"))
    if not paths:
        raise FileNotFoundError(
            f"{campaign_dir} holds no measured runs: measure first, for instance with `lab run`"
        )
    return summarise([json.loads(path.read_text()) for path in paths])


def summarise(manifests: Sequence[Mapping[str, Any]]) -> Provenance:
    """Reduce the manifests of one campaign (at least one) to its provenance."""
    accepted = sum(manifest["status"] == "accepted" for manifest in manifests)
    return Provenance(
        campaign=str(manifests[0]["campaign"]),
        profiles=_distinct(manifest["profile"] for manifest in manifests),
        fleets=_distinct(_fleet(manifest["topology"]) for manifest in manifests),
        generators=_distinct(_generator(manifest.get("generator")) for manifest in manifests),
        commits=_distinct(_commit(manifest["git"]) for manifest in manifests),
        started=min(datetime.fromisoformat(manifest["started_at"]) for manifest in manifests),
        finished=max(datetime.fromisoformat(manifest["finished_at"]) for manifest in manifests),
        num_accepted=accepted,
        num_rejected=len(manifests) - accepted,
    )


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _fleet(topology: Mapping[str, Any]) -> str:
    dilation = topology["time_dilation"]
    return f"{topology['name']}, time dilation {dilation:g}"


def _generator(generator: Mapping[str, Any] | None) -> str:
    return f"{generator['name']} {generator['version']}" if generator else ""


def _commit(git: Mapping[str, Any]) -> str:
    commit = str(git["commit"])[:SHORT_COMMIT]
    return f"{commit} with local changes" if git["dirty"] else commit


def _period(started: datetime, finished: datetime) -> str:
    first = f"{started:%Y-%m-%d %H:%M}"
    last = (
        f"{finished:%H:%M}" if started.date() == finished.date() else f"{finished:%Y-%m-%d %H:%M}"
    )
    return f"{first} to {last} UTC"
