"""Leaves out cells of a notebook that is run by hand, as the report does, instead of failing."""

from __future__ import annotations

import ast

from IPython.core.getipython import get_ipython
from IPython.display import Markdown, display

from analysis.lab.measured_study import held_studies
from analysis.tables.held import held_sections
from remote.campaign import DATA_DIR, NO_FLEET, Campaign
from report.contents.measured import Absent, not_measured, sections_of


def leave_out_unmeasured(campaign: Campaign) -> None:
    """Let the cells that follow be left out where the campaign lacks what they need.

    A note takes the place of the cell that would have measured it. On a fleet that can measure
    nothing is left out, and outside of a notebook nothing happens.
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
        self._path = campaign.path
        self._absent = Absent()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        source = ast.unparse(node)
        held = held_sections(self._path).keys() | held_studies(self._path).keys()
        absent = self._absent.of(source, held)
        if not absent:
            return node
        if sections_of(source):
            name = self._path.relative_to(DATA_DIR).as_posix()
            display(Markdown(not_measured(absent, name)))  # type: ignore[no-untyped-call]
        return ast.Module(body=[], type_ignores=[])
