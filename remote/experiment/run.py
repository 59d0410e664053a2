"""One run: one configuration, one repetition, and its place on disk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from analysis.results.manifests import PARTIAL_SUFFIX, is_packed, run_names
from records.manifest import Manifest
from records.verdict import ACCEPTED
from remote.experiment.lengths import Lengths
from remote.experiment.manifest import read_manifest
from remote.experiment.section import Config, Section, slug


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is to be measured: a configuration of a section and the number of its repetition.

    Parameters
    ----------
    time_dilation : k that it is measured with.
    planned : how long it lasts; None for as long as the section says at this time dilation.
    is_trial : it is made to choose the time dilation and counts as no repetition.
    may_be_short : it counts although it lasts for fewer response times than a run should.
    """

    section: Section
    config: Config
    repetition: int
    campaign_dir: Path
    time_dilation: float = 1.0
    planned: Lengths | None = None
    is_trial: bool = False
    may_be_short: bool = False

    @property
    def lengths(self) -> Lengths:
        """How long it lasts, in seconds of the clock."""
        is_dilated = self.section.kind == "load"  # networks are measured for seconds of the clock
        k = self.time_dilation if is_dilated else 1.0
        return self.planned or self.section.fixed.of_clock(k)

    @cached_property
    def folder(self) -> Path:
        """Where the accepted run stands."""
        return self.campaign_dir / self.section.name / slug(self.config) / f"rep-{self.repetition}"

    @property
    def partial(self) -> Path:
        """Where the run is written until it is complete."""
        return self.folder.with_name(self.folder.name + PARTIAL_SUFFIX)

    @property
    def label(self) -> str:
        """Short text for progress lines and messages."""
        return run_label(self.section.name, self.config, self.repetition)

    def is_done(self) -> bool:
        """Tell whether an accepted run stands on disk; ConfigError if its manifest is damaged."""
        is_there = self.folder.is_dir() or is_packed(self.folder)
        return is_there and read_manifest(self.folder).status == ACCEPTED

    def attempts(self) -> list[Manifest]:
        """Return the manifests of the attempts that do not count so far, the earliest first."""
        attempt = re.compile(rf"{re.escape(self.folder.name)}\..*-[0-9].*")
        folder = self.folder.parent
        names = run_names(folder.parent, folder.name)
        found = [read_manifest(folder / name) for name in names if attempt.fullmatch(name)]
        return sorted(found, key=lambda manifest: manifest.attempt)


def run_label(section: str, config: Config, repetition: int) -> str:
    """Return how messages name a run."""
    return f"{section} {slug(config)} rep {repetition}"
