"""The command of `lab` about time dilations: what was chosen for each configuration, and why."""

from __future__ import annotations

import click

from lab.say import say
from lab.shared_options import campaign_option
from remote.campaign import NO_FLEET, Campaign
from remote.campaign.planning.cell import cells
from remote.campaign.view.dilation_table import dilation_table
from remote.errors import ConfigError


@click.argument("section")
@campaign_option
@click.option(
    "--extrapolate",
    is_flag=True,
    help="Add throughput and response time over 1/k to 0, where the machine takes no time.",
)
def dilations(section: str, campaign: str, extrapolate: bool) -> None:
    """Show the time dilation k of each configuration of SECTION, and why it was chosen.

    The machine's share of a response time is told of every trial and of what was chosen; where no k
    makes it small, --extrapolate tells what the results of several k lead to.
    """
    opened = Campaign.open(campaign, fleet=NO_FLEET)
    plan = opened.plan(section)
    if plan.kind != "load":
        raise ConfigError(opened.file(section), "measures links, at the k of what runs on them")
    say(dilation_table(plan, cells(plan, opened.path), extrapolate=extrapolate))
