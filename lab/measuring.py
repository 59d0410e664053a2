"""`lab run`: what is missing of sections is measured."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable

import click

from lab.campaigns import NOT_COMPLETE
from lab.fleets import lab_up
from lab.say import say
from lab.shared_options import measuring_options, parse_one_of
from remote.campaign import Campaign
from remote.campaign.states import RunState
from remote.campaign.view.dry_run import missing_table
from remote.campaign.view.precision import known_text
from remote.providers.local_lab.topology import topology_for


@click.argument("sections", nargs=-1, required=True, metavar="SECTION...")
@measuring_options
@click.option(
    "--trace",
    "followed",
    metavar="1/N",
    help="Write down one of N requests of each connection wherever it passes, for `lab trace`; or "
    "`none`.  [default: each section's]",
)
@click.option(
    "--report",
    is_flag=True,
    help="Write figures/report/ (HTML) with what is measured so far after each section.",
)
def run(
    sections: tuple[str, ...],
    profile: str,
    campaign: str,
    fleet: str,
    allow_public: bool,
    time_dilation: float | None,
    middleware: str,
    followed: str | None,
    retry: bool,
    dry_run: bool,
    own_lab: bool,
    report: bool,
) -> None:
    """Measure what is missing of each SECTION (0, 2.1, ..., or a file) and keep it in the campaign.

    A file is a section of your own, such as my.toml (docs/sections.md); the campaign keeps a copy.
    Sections of message queues need a lab of topology `queue`; --own-lab starts what is needed.
    Another middleware has a campaign of its own below, CAMPAIGN/middlewares/NAME. In a campaign a
    section keeps to the --trace that it was begun with.

    Interrupt with Ctrl-C at any time: what is measured is kept, the next call resumes. Exit status
    3 if runs were given up after three attempts: they are named, all others are done.
    """
    sections = tuple(dict.fromkeys(sections))
    opened = Campaign.open(
        campaign,
        profile=profile,
        fleet=fleet,
        middleware=middleware,
        follow=None if followed is None else parse_one_of(followed),
        allow_public=allow_public,
    )
    for section in sections:
        if lost := opened.cannot_be_told(section):
            say(f"{section}: {opened.middleware_name} cannot be told {', '.join(lost)}")
    if dry_run:
        plans = [
            opened.planned(section, retry=retry, time_dilation=time_dilation)
            for section in sections
        ]
        links = [state for section in sections for state in opened.states_of_links(section)]
        say(missing_table(plans, links, opened.path))
        opened.require_hosts(*sections)
        return
    on_section = None
    if report:
        from lab.pages_so_far import PagesSoFar  # notebooks are slow to load

        to_come = [name for name in sections if opened.missing(name, retry=retry)]
        on_section = PagesSoFar(opened, [opened.plan(name).name for name in to_come]).write
    left: list[RunState] = []
    for topology, group in _by_topology(opened, sections).items():
        missing = any(opened.missing(section, retry=retry) for section in group)
        with lab_up(fleet, topology) if own_lab and missing else contextlib.nullcontext():
            left += opened.measure(
                *group, retry=retry, time_dilation=time_dilation, on_section=on_section
            )
    if known := known_text([opened.planned(section) for section in sections]):
        say(known)
    planned = sum(len(opened.states(section)) for section in sections)
    say(f"{planned - len(left)} of {planned} runs are done in {opened.path}")
    sys.exit(NOT_COMPLETE if left else 0)


def _by_topology(opened: Campaign, sections: Iterable[str]) -> dict[str, list[str]]:
    """Return the sections by the local lab's topology that has their hosts."""
    found: dict[str, list[str]] = {}
    for section in sections:
        found.setdefault(topology_for(opened.plan(section).hosts), []).append(section)
    return found
