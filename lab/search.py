"""`lab find`: the largest arrival rate at which response times stay below a limit."""

from __future__ import annotations

import dataclasses

import click

from lab.say import say
from lab.shared_options import measuring_options
from records.files.atomic import written_whole
from records.objective import Objective
from remote.campaign import Campaign
from remote.campaign.search_file import as_toml, name_of, parse_levels, search_document
from remote.campaign.view.dry_run import missing_table
from remote.errors import ConfigError
from remote.experiment.section_file import KEPT, SECTIONS_DIR, SUFFIX, read_section, section_of
from remote.toml_files import read_toml


@click.argument("objective")
@click.argument("base", metavar="SECTION")
@click.argument("levels", nargs=-1, type=click.UNPROCESSED, metavar="[--FACTOR LEVEL]...")
@measuring_options
@click.pass_context
def find(
    context: click.Context,
    objective: str,
    base: str,
    levels: tuple[str, ...],
    profile: str,
    campaign: str,
    fleet: str,
    allow_public: bool,
    time_dilation: float | None,
    middleware: str,
    retry: bool,
    dry_run: bool,
    own_lab: bool,
) -> None:
    """Search for the largest rate of open arrivals at which OBJECTIVE holds in SECTION.

    An objective is a text such as "throughput with p99 < 5 ms". Levels of the section's factors are
    options, such as --workers 64, each as often as there are levels. Of a factor that is not given
    all levels are searched, but for --clients-per-thread: the largest, for it is the number of
    connections that requests can be under way on.

    What is measured is a section file in the campaign's folder (docs/sections.md); the next call
    resumes. Exit status 3 as in `lab run`.
    """
    try:
        asked = Objective.parse(objective)
    except ValueError as exc:
        raise ConfigError("OBJECTIVE", str(exc)) from exc
    opened = Campaign.open(
        campaign, profile=profile, fleet=fleet, middleware=middleware, allow_public=allow_public
    )
    section, file = read_section(base, profile), SECTIONS_DIR / f"{base}{SUFFIX}"
    given = parse_levels(levels, opened.with_own_middleware(section, file).factors)
    name = name_of(base, asked, given)
    parts = list(read_toml(file).get("parts", {}))
    document = search_document(section, parts, asked, given)
    path = opened.path / KEPT / f"{name}{SUFFIX}"
    searched = opened.with_own_middleware(section_of(path, document, profile), path)
    if dry_run:
        opened = dataclasses.replace(opened, plans={name: searched})
        planned = opened.planned(name, retry=retry, time_dilation=time_dilation)
        say(missing_table([planned], opened.states_of_links(name), opened.path))
        opened.require_hosts(name)
        return
    with written_whole(path) as part:
        part.write_text(as_toml(document))
    group = context.find_root().command
    assert isinstance(group, click.Group)
    context.invoke(
        group.commands["run"],
        sections=(name,),
        profile=profile,
        campaign=campaign,
        fleet=fleet,
        time_dilation=time_dilation,
        middleware=middleware,
        retry=retry,
        dry_run=False,
        own_lab=own_lab,
    )
