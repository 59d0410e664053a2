"""The runs that measure the links of a section before anything runs on them."""

from __future__ import annotations

import dataclasses

from remote.experiment.lengths import Durations
from remote.experiment.section import Section

SEQUENTIAL, PARALLEL = "iperf3-sequential", "iperf3-parallel"
SECONDS_BY_PROFILE = {"quick": 1, "paper": 5}  # smoke leaves links to section 0


def links_section(plan: Section) -> Section:
    """Return what measures the links of the section `plan`: each for itself, and all at once."""
    return dataclasses.replace(
        plan,
        kind="links",
        title=f"{plan.title}: its links",
        factors={"kind": (SEQUENTIAL, PARALLEL)},
        extra={},
        follows={},
        parts=(),
        durations=Durations(repetitions=1, stable_s=SECONDS_BY_PROFILE[plan.profile]),
        precision=None,
        find=None,
        pauses=(),
    )
