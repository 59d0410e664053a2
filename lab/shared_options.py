"""Options that several commands of `lab` have, each stated once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ParamSpec

import click

from records.section import PROFILES
from remote.errors import ConfigError

P = ParamSpec("P")
_NONE = "none"
_ONE_OF = re.compile(r"1/([1-9]\d{0,8})")

profile_option = click.option(
    "--profile", type=click.Choice(PROFILES), default="smoke", show_default=True
)
campaign_option = click.option(
    "--campaign", default="smoke", show_default=True, help="Folder below data/."
)
fleet_option = click.option(
    "--fleet",
    default="local",
    show_default=True,
    help="`local`, `loopback`, `vm`, or the path of an inventory.",
)
public_option = click.option(
    "--allow-public",
    is_flag=True,
    help="Let servers and middlewares listen on addresses that the Internet routes.",
)
middleware_option = click.option(
    "--middleware",
    default="",
    metavar="NAME|FILE",
    help="Measure another middleware, such as nutcracker (docs/middlewares.md).  [default: mwlab]",
)
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Only list what is missing and the time it takes; needs no lab."
)
own_lab_option = click.option(
    "--own-lab",
    is_flag=True,
    help="Start the lab if runs are missing and it is down, and take it down afterwards.",
)
_OF_MEASURING = (
    profile_option,
    campaign_option,
    fleet_option,
    public_option,
    click.option(
        "--time-dilation",
        type=float,
        help="k for all sections, local lab only.  [default: each section's]",
    ),
    middleware_option,
    click.option(
        "--retry", is_flag=True, help="Make new attempts at runs that were given up, too."
    ),
    dry_run_option,
    own_lab_option,
)


def measuring_options(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command that measures sections the options of `lab run`, in their order."""
    for option in reversed(_OF_MEASURING):
        command = option(command)
    return command


def parse_one_of(text: str) -> int:
    """Return the N of ``1/N``, 0 of ``none``; ConfigError for anything else."""
    if text == _NONE:
        return 0
    match = _ONE_OF.fullmatch(text)
    if match is None:
        rule = f"must be 1/N, one of N requests of each connection, such as 1/100, or `{_NONE}`"
        raise ConfigError("--trace", f"{rule}; got {text!r}")
    return int(match[1])
