"""`lab claims`: which of the report's claims a campaign supports."""

from __future__ import annotations

import json
import sys

import click
from tabulate import tabulate

from analysis.chapters.claims import claims_of
from analysis.claims.claim import Outcome, claims_table, pair
from lab.campaigns import NOT_SOUND, whole_campaign
from lab.say import say


@click.argument("name")
@click.option("--against", metavar="OTHER", help="Show only claims with another verdict in OTHER.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with every number and interval.")
def claims(name: str, against: str | None, as_json: bool) -> None:
    """Show which of the report's claims the numbers of campaign NAME support.

    A claim is supported, refuted or undecided; it is undecided without such runs, with too few
    repetitions, or if its interval is too wide. Each claim is shown with its id, its number, the
    95 % confidence interval and the range that supports it, findings before validity checks.
    With --against claims are compared by id, and the exit status is 1 if any verdict differs.
    """
    own = claims_of(whole_campaign(name))
    if against is not None:
        pairs = [
            (claim, _verdict(one), _verdict(other))
            for claim, one, other in pair(own, claims_of(whole_campaign(against)))
        ]
        differing = [one for one in pairs if one[1] != one[2]]
        for claim, verdict, other_verdict in differing:
            say(f"{claim.id}: {claim.statement}")
            say(f"  {name}: {verdict}; {against}: {other_verdict}")
        say(f"{len(pairs) - len(differing)} of {len(pairs)} claims have the same verdict")
        sys.exit(NOT_SOUND if differing else 0)
    if as_json:
        say(json.dumps([outcome.to_dict() for outcome in own], indent=1))
        return
    table = claims_table(own).drop(columns="quantity")
    rows = table.to_numpy().tolist()
    say(tabulate(rows, headers=list(table.columns), maxcolwidths=[None, None, None, 44]))


def _verdict(outcome: Outcome | None) -> str:
    return "no such claim" if outcome is None else str(outcome.verdict)
