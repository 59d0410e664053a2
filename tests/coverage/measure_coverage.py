"""How often intervals of campaigns that stop by themselves hold the truth: `make coverage`.

Campaigns of each kind, goal and bounds of repetitions; the table goes into
docs/explanation/precision.md.
"""

import argparse
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import shown_machines
from planted_systems import (
    Autoregressive,
    ClosedNetwork,
    Drift,
    RegimesBetween,
    RegimesWithin,
    SingleStation,
    System,
)
from shown_intervals import SHOWN
from simulated_campaigns import Outcome, campaign
from simulated_sections import Cells
from statsmodels.stats.proportion import proportion_confint

from analysis.work import mapped, workers
from records.paths import PROJECT

DOCUMENT = PROJECT / "docs" / "explanation" / "precision.md"
BEGIN, END = "<!-- table of make coverage -->\n", "<!-- end of table -->"
SEED = 2026
CAMPAIGNS = 1000
CAMPAIGNS_SHOWN = 500
LEAST = 0.93
GOALS = (0.05,)  # all systems are scaled by it: another one changes nothing
REPETITIONS = ((2, 6), (3, 10))
SYSTEMS: dict[str, System] = {
    "AR(1), 0.8": Autoregressive(correlation=0.8),
    "AR(1), 0.95": Autoregressive(correlation=0.95),
    "M/M/1 at 0.9, response time": SingleStation(),
    "closed network, throughput": ClosedNetwork(measure="throughput"),
    "closed network, response time": ClosedNetwork(measure="response_time"),
    "two regimes within runs": RegimesWithin(stay=10),
    "two regimes within runs, slow": RegimesWithin(stay=60),
    "two regimes, 6 % apart": RegimesBetween(gap=0.06),
    "two regimes, 50 % apart": RegimesBetween(gap=0.5),
    "drift of 5 goals within runs": Drift(within=5),
    "drift of a fourth of the goal from run to run": Drift(between=0.25),
    "runs that differ by half of the goal": Autoregressive(correlation=0.5, between=0.5),
    "runs that differ by the goal": Autoregressive(correlation=0.5, between=1.0),
}
SECTIONS: dict[str, Cells] = {
    "12 cells, runs differ by half of the goal": Cells(spreads=(0.5,) * 12),
    "12 cells, runs differ by the goal": Cells(spreads=(1.0,) * 12),
    "12 cells, runs differ by a fourth, half and all of the goal": Cells(
        spreads=(0.25, 0.5, 1) * 4
    ),
    "12 cells, one differs four times as much": Cells(spreads=(0.3,) * 11 + (1.2,)),
}
HEADINGS = ("system", "goal", "repetitions", "holds the truth", "used", "known", "split")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A kind of campaign, of one cell or of a section of them."""

    name: str
    goal: float
    repetitions: tuple[int, int]

    @property
    def between(self) -> bool:
        """Whether runs are in regimes, which are held against their own truths."""
        return isinstance(SYSTEMS.get(self.name), RegimesBetween)

    @property
    def held_to(self) -> int:
        """Number of shares of `covered`, the first ones, that must be large enough."""
        return 2 if self.between or self.unlike is not None else 1

    @property
    def unlike(self) -> int | None:
        """Number of the cell that is unlike the others of its section; None if there is none."""
        spreads = SECTIONS[self.name].spreads if self.name in SECTIONS else ()
        return len(spreads) - 1 if spreads and spreads.count(spreads[-1]) == 1 else None


SETTINGS = [
    Setting(name=name, goal=goal, repetitions=repetitions)
    for name, goal, repetitions in product([*SYSTEMS, *SECTIONS], GOALS, REPETITIONS)
] + [
    Setting(name=name, goal=goal, repetitions=repetitions)
    for name in SHOWN
    for goal, repetitions in product(GOALS, REPETITIONS)
]


@dataclass(frozen=True, kw_only=True)
class Covered:
    """Campaigns of one kind whose intervals hold the truth, and all of them."""

    words: str
    held: int
    campaigns: int

    @property
    def enough(self) -> bool:
        """Whether at least 93 % are seen to."""
        return self.held >= LEAST * self.campaigns

    def cell(self) -> str:
        """Return the share with its own 95 % interval (Wilson 1927)."""
        low, high = proportion_confint(self.held, self.campaigns, method="wilson")
        share = self.held / self.campaigns
        return f"{100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def shares(setting: Setting, campaigns: int | None = None) -> tuple[list[Covered], str]:
    """Run campaigns of one kind: how often intervals hold, and the rest of the table's rows.

    Parameters
    ----------
    campaigns
        How many; by default the documented number.
    """
    if setting.name not in SHOWN:
        found = outcomes(setting, campaigns or CAMPAIGNS)
        used = np.mean([one.cell.repetitions for one in found])
        known = np.mean([one.cell.known for one in found])
        split = np.mean([one.told_apart > 1 for one in found])
        return covered(setting, found), f"{used:.1f} | {100 * known:.0f} % | {100 * split:.1f} %"
    rng = np.random.default_rng([SEED, SETTINGS.index(setting)])
    is_slow = setting.name in shown_machines.MACHINES
    held = [
        holds
        for _ in range(campaigns or (shown_machines.CAMPAIGNS if is_slow else CAMPAIGNS_SHOWN))
        for holds in SHOWN[setting.name](rng, setting.goal, setting.repetitions)
    ]
    return [Covered(words="", held=sum(held), campaigns=len(held))], "- | - | -"


def outcomes(setting: Setting, campaigns: int = CAMPAIGNS) -> list[Outcome]:
    """Run campaigns of one kind; the seed is of the kind, whatever else is run.

    Of a section there are as many outcomes as cells, campaign after campaign.
    """
    rng = np.random.default_rng([SEED, SETTINGS.index(setting)])
    if setting.name in SECTIONS:
        section = SECTIONS[setting.name].section
        sections = [section(rng, setting.goal, setting.repetitions) for _ in range(campaigns)]
        return [cell for cells in sections for cell in cells]
    system = SYSTEMS[setting.name]
    runs = system.runs(rng, setting.goal) if isinstance(system, ClosedNetwork) else None
    return [
        campaign(
            system,
            runs or system.runs(rng, setting.goal),
            goal=setting.goal,
            repetitions=setting.repetitions,
        )
        for _ in range(campaigns)
    ]


def covered(setting: Setting, found: list[Outcome]) -> list[Covered]:
    """Hold intervals against the truth; those of regimes in three ways."""
    if not setting.between:
        all_of_them = Covered(words="", held=sum(one.holds for one in found), campaigns=len(found))
        if setting.unlike is None:
            return [all_of_them]
        alone = found[setting.unlike :: setting.unlike + 1]
        that_cell = sum(one.holds for one in alone)
        return [all_of_them, Covered(words="that cell", held=that_cell, campaigns=len(alone))]
    both = [one for one in found if one.seen > 1]
    return [
        Covered(
            words="each regime's, its own mean",
            held=sum(one.each_holds for one in found),
            campaigns=len(found),
        ),
        Covered(
            words="both regimes among the runs: the mean of both, or not known",
            held=sum(one.holds or not one.cell.known for one in both),
            campaigns=len(both),
        ),
        Covered(
            words="all campaigns: the mean of both",
            held=sum(one.holds for one in found),
            campaigns=len(found),
        ),
    ]


def rows(setting: Setting, found: list[Covered], rest: str) -> list[str]:
    """Return the lines of the table of one kind of campaign."""
    fewest, most = setting.repetitions
    lines = []
    for share in found:
        name = f"{setting.name}: {share.words}" if share.words else setting.name
        cells = (name, f"{100 * setting.goal:g} %", f"{fewest} to {most}", share.cell(), rest)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def short(setting: Setting, found: list[Covered]) -> bool:
    """Return whether fewer than 93 % of a kind's intervals hold the truth.

    Of regimes only the shares that could be known count.
    """
    return not all(share.enough for share in found[: setting.held_to])


def main() -> int:
    """Run all kinds over the cores, write the table, and fail if intervals hold too rarely."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--document", type=Path, default=DOCUMENT)
    arguments.add_argument("--scheduler", help="address of a Dask cluster's (docs/workers.md)")
    options = arguments.parse_args()
    document: Path = options.document
    print(f"seed {SEED}, {len(SETTINGS)} kinds of campaigns", flush=True)
    lines: dict[Setting, list[str]] = {}
    wrong: list[Setting] = []
    with workers(scheduler=options.scheduler) as those:
        done = mapped(shares, SETTINGS, within=those)
        for number, (setting, (found, rest)) in enumerate(
            zip(SETTINGS, done, strict=True), start=1
        ):
            lines[setting] = rows(setting, found, rest)
            print(f"{number}/{len(SETTINGS)}", *lines[setting], sep="\n", flush=True)
            if short(setting, found):
                wrong.append(setting)
    head = [f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS)]
    table = "\n".join(head + [line for setting in SETTINGS for line in lines[setting]])
    before, rest = document.read_text().split(BEGIN)
    document.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{rest.split(END)[1]}")
    for setting in wrong:
        print(f"below {LEAST:.0%}: {setting}", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
