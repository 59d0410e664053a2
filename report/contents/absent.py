"""What cells of a notebook need of a campaign, read from their source, and what it lacks.

Cells that use what a cell makes that is left out are left out, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence, Set

from records.paths import MIDDLEWARES
from records.sensitivity import FOLDER
from remote.experiment.section import slug

STUDY = "measure_study"
READS = ("load_tables", "load_tables_by_middleware", "load_evidence")
NETWORK = "0"
_FACTOR = re.compile(r"([a-z_]+)=([^_]+)(?:_|$)")  # in the name of a study


def sections_of(source: str) -> list[str]:
    """Return what a cell measures: sections, the texts given to `.measure(...)`, and studies.

    Studies are called as `analysis.lab.measured_study.find_studies` has them.
    """
    calls = _calls(source)
    studies = [_study(call) for call in calls if getattr(call.func, "id", "") == STUDY]
    return studies + [
        text
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "measure"
        for text in _texts(call)
    ]


class Absent:
    """What cells need and a campaign does not hold, followed from cell to cell."""

    def __init__(self) -> None:
        self._lost: dict[str, list[str]] = {}  # name that a cell would have set, to what is absent

    def of(self, source: str, held: Set[str]) -> list[str]:
        """Return the sections and studies that the next cell needs and that are not there.

        Parameters
        ----------
        source : str
            The cell's; what it sets counts as not there if it is left out.
        held : set of str
            The sections and studies that the campaign holds accepted runs of.
        """
        used, made = _names(source)
        unheld = [name for name in sections_of(source) if name not in held]
        for asked in _read_together(source):
            unheld += [] if held & set(asked) else asked
        lost = [
            section for name in sorted(used & self._lost.keys()) for section in self._lost[name]
        ]
        absent = list(dict.fromkeys(unheld + lost))
        self._lost = {name: why for name, why in self._lost.items() if name not in made}
        if absent:
            self._lost |= dict.fromkeys(made, absent)
        return absent


def not_measured(absent: Sequence[str], campaign: str) -> str:
    """Return markdown that tells what a campaign lacks and what measures it."""
    studies = [name for name in absent if "/" in name]
    sections = [name for name in absent if name not in studies]
    commands = [f"lab run {' '.join(sections)} --campaign {campaign}"] if sections else []
    commands += [study_command(name, campaign) for name in studies]
    lacking = [f"no accepted run of section {' and '.join(sections)}"] if sections else []
    lacking += ["no elasticities of what is told here"] if studies else []
    measure = "measures it" if len(commands) == 1 else "measure it"
    return (
        f"> **Not measured.** Campaign {campaign} holds {' and '.join(lacking)}: what is made from "
        f"it is left out here. {' and '.join(f'`{one}`' for one in commands)} {measure}."
    )


def study_command(study: str, campaign: str) -> str:
    """Return the command that measures a study, by its name."""
    around, _, name = study.rpartition(f"{FOLDER}/")
    section, _, levels = name.partition("-")
    factors = " ".join(f"--{f.replace('_', '-')} {level}" for f, level in _FACTOR.findall(levels))
    within = "/".join(filter(None, [campaign, around.strip("/")]))
    return f"lab sensitivity {section} {factors} --campaign {within}"


def _tree(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:  # a magic command
        return ast.Module(body=[], type_ignores=[])


def _calls(source: str) -> list[ast.Call]:
    return [node for node in ast.walk(_tree(source)) if isinstance(node, ast.Call)]


def _texts(call: ast.Call) -> list[str]:
    """Return the arguments of a call that are texts."""
    constants = [one.value for one in call.args if isinstance(one, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]


def _study(call: ast.Call) -> str:
    """Return the name of the study of ``measure_study(measured, "3.1", {...})``."""
    _, section, levels = call.args
    told = {word.arg: word.value for word in call.keywords}
    folder = FOLDER
    if "middleware" in told:
        folder = f"{MIDDLEWARES}/{ast.literal_eval(told['middleware'])}/{FOLDER}"
    return f"{folder}/{ast.literal_eval(section)}-{slug(ast.literal_eval(levels))}"


def _read_together(source: str) -> list[list[str]]:
    """Return the sections of each call that reads several and wants one of them to be there.

    The network, which stands beside the others, is not one.
    """
    named = [_texts(call) for call in _calls(source) if getattr(call.func, "id", "") in READS]
    return [[name for name in names if name != NETWORK] for names in named if names != [NETWORK]]


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the names that a cell needs from cells before it, and those that it sets."""
    used: set[str] = set()
    made: set[str] = set()
    for statement in _tree(source).body:
        loaded, stored = _names_of(statement)
        inner = {
            name
            for node in ast.walk(statement)
            if isinstance(node, ast.comprehension)
            for name in _names_of(node.target)[1]
        }
        used |= loaded - made - inner
        made |= stored - inner
    return used, made


def _names_of(tree: ast.AST) -> tuple[set[str], set[str]]:
    loaded: set[str] = set()
    stored: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else stored).add(node.id)
        elif isinstance(node, ast.alias):
            stored.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            stored.add(node.name)
    return loaded, stored
