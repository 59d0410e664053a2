"""Leaves out cells of a notebook that is run by hand, as the report does, instead of failing."""

from __future__ import annotations

import ast

from IPython.core.getipython import get_ipython
from IPython.display import Markdown, display

from analysis.lab.measured_study import find_studies
from analysis.tables.loading import find_sections
from records.paths import DATA
from remote.campaign import NO_FLEET, Campaign
from report.contents.absent import Absent, not_measured, sections_of


def leave_out_unmeasured(campaign: Campaign) -> None:
    """Let the cells that follow be left out where the campaign lacks what they need.

    A note takes the place of the cell that would have measured it. What the campaign holds is
    looked at now, once. On a fleet that can measure nothing is left out, and outside of a notebook
    nothing happens.

    Raises
    ------
    ParseError
        A manifest is damaged; names its path.
    """
    shell = get_ipython()
    if shell is None:
        return
    others = [one for one in shell.ast_transformers if not isinstance(one, _LeaveOut)]
    shell.ast_transformers = others
    if campaign.fleet == NO_FLEET:
        shell.ast_transformers.append(_LeaveOut(campaign))


class _LeaveOut(ast.NodeTransformer):
    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign.path.relative_to(DATA).as_posix()
        self._held = find_sections(campaign.path).keys() | find_studies(campaign.path).keys()
        self._absent = Absent()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        source = ast.unparse(node)
        absent = self._absent.of(source, self._held)
        if not absent:
            return node
        if sections_of(source):
            display(Markdown(not_measured(absent, self._campaign)))  # type: ignore[no-untyped-call]
        return ast.Module(body=[], type_ignores=[])
