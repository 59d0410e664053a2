"""A program that shows a fault without the kit: the very code that found it, in one file.

The program is made of the question's function and of everything that the function uses, down to
the client that judges replies. So program and kit send the same bytes in the same packets, on the
same connections, and judge alike. What the question does not use is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from remote.conformance import running
from remote.conformance.running import Ask, Place

_OWN_PACKAGES = ("records", "remote", "analysis")
_FUTURE = "__future__"
_OLDEST = "(3, 10)"

Unit = tuple[str, str]
"""A module and a name that is defined in it; of a method ``Class.method``."""


@dataclass(frozen=True)
class _Module:
    lines: Sequence[str]
    definitions: dict[str, ast.stmt] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)


def program(
    questions: Sequence[tuple[str, Ask, float]],
    place: Place,
    *,
    title: str,
    patience_s: float,
    stops_servers: bool = False,
    times: int = 1,
) -> str:
    """Return the source of a program that asks `questions`; see `remote.conformance.running.show`.

    Parameters
    ----------
    title : lines for the program's docstring.

    Raises
    ------
    ValueError
        Two modules define the same public name, which one file cannot hold.
    """
    used = ["show", "Place", *(["tunnelled"] if place.through else [])]
    asks = [(ask.__module__, ask.__name__) for _, ask, _ in questions]
    units = _needed([*asks, *((running.__name__, name) for name in used)])
    where = f"tunnelled({place!r})" if place.through else repr(place)
    asked = "".join(f"({text!r}, {ask.__name__}, {time_s!r}), " for text, ask, time_s in questions)
    return "\n".join(
        [
            f'r"""{title}\n"""\n',
            *_imports(units),
            f'if sys.version_info < {_OLDEST}:\n    sys.exit("needs Python 3.10 or later")\n',
            *_definitions(units),
            "",
            "sys.exit(",
            "    show(",
            f"        [{asked.rstrip(', ')}],",
            f"        {where},",
            f"        patience_s={patience_s!r},",
            f"        stops_servers={stops_servers!r},",
            f"        times={times!r},",
            "    )",
            ")",
            "",
        ]
    )


@cache
def _module(name: str) -> _Module:
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None  # it has been imported
    text = Path(spec.origin).read_text(encoding="utf-8")
    module = _Module(text.splitlines())
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Import):
            module.imports.update({alias.name: (alias.name, "") for alias in statement.names})
        elif isinstance(statement, ast.ImportFrom):
            source = statement.module or ""
            module.imports.update({alias.name: (source, alias.name) for alias in statement.names})
        else:
            module.definitions.update(dict.fromkeys(_names(statement), statement))
    return module


def _names(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [
        node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
    ]


def _needed(roots: Sequence[Unit]) -> set[Unit]:
    """Return what `roots` use, directly or not; of classes only the methods that are called."""
    found: set[Unit] = set()
    methods: dict[Unit, ast.stmt] = {}
    called: set[str] = set()
    waiting = list(roots)
    while waiting:
        unit = waiting.pop()
        if unit in found:
            continue
        module, name = unit
        if unit not in methods and name not in _module(module).definitions:
            source, original = _module(module).imports.get(name, ("", ""))
            if source.partition(".")[0] in _OWN_PACKAGES:
                waiting.append((source, original))
            continue
        found.add(unit)
        statement = methods.get(unit) or _module(module).definitions[name]
        own = _own_methods(statement)
        methods |= {(module, f"{name}.{one.name}"): one for one in own}
        for node in _nodes(statement, skipped=own):
            if isinstance(node, ast.Name):
                waiting.append((module, node.id))
            elif isinstance(node, ast.Attribute):
                called.add(node.attr)
        waiting += [unit for unit in methods if _method(unit) in called]
    return found


def _method(unit: Unit) -> str:
    return unit[1].rpartition(".")[2]


def _own_methods(statement: ast.stmt) -> list[ast.FunctionDef]:
    """Return the methods of a class that may be left out."""
    body = statement.body if isinstance(statement, ast.ClassDef) else []
    functions = [one for one in body if isinstance(one, ast.FunctionDef)]
    return [one for one in functions if not one.name.startswith("__")]


def _nodes(node: ast.AST, skipped: Sequence[ast.AST] = ()) -> Iterator[ast.AST]:
    """Walk through a tree, but not through annotations, which are never evaluated."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and child not in skipped:
                yield from _nodes(child, skipped)


def _in_order(units: set[Unit]) -> list[str]:
    """Return the modules of `units`, each after those that it imports."""
    ordered: list[str] = []

    def add(name: str) -> None:
        for source, _ in _module(name).imports.values():
            if source.partition(".")[0] in _OWN_PACKAGES and source not in ordered:
                add(source)
        if name not in ordered:
            ordered.append(name)

    for name in (running.__name__, *sorted({module for module, _ in units})):
        add(name)
    return ordered  # the question comes last


def _imports(units: set[Unit]) -> list[str]:
    """Return the imports of the standard library that `units` need."""
    needed = {"import sys"}
    for module, name in units:
        imports = _module(module).imports
        statement = _statement(module, name)
        names = {node.id for node in _nodes(statement) if isinstance(node, ast.Name)}
        for used in names & imports.keys():
            source, original = imports[used]
            if source.partition(".")[0] not in _OWN_PACKAGES:
                needed.add(f"from {source} import {original}" if original else f"import {source}")
    return ["from __future__ import annotations\n", *sorted(needed), ""]


def _statement(module: str, name: str) -> ast.stmt:
    first, _, method = name.partition(".")
    statement = _module(module).definitions[first]
    return next((one for one in _own_methods(statement) if one.name == method), statement)


def _definitions(units: set[Unit]) -> Iterator[str]:
    """Yield the source of each definition, in the order in which Python can execute them.

    A private name that an earlier module defines, too, is given a number.
    """
    places: dict[str, str] = {}
    for number, module in enumerate(_in_order(units)):
        own = {name for where, name in units if where == module and "." not in name}
        taken = own & places.keys()
        if public := sorted(name for name in taken if not name.startswith("_")):
            raise ValueError(f"{public[0]} is defined in {places[public[0]]} and in {module}")
        places |= dict.fromkeys(own, module)
        names = "|".join(map(re.escape, sorted(taken)))
        same_name = re.compile(rf"(?<![.\w])({names})\b" if taken else "(?!)")
        written: list[ast.stmt] = []
        for name, statement in _module(module).definitions.items():
            if (module, name) not in units or statement in written:
                continue
            written.append(statement)
            left_out = [
                line
                for method in _own_methods(statement)
                if (module, f"{name}.{method.name}") not in units
                for line in range(_first_line(method), method.end_lineno or 0)
            ]
            lines = range(_first_line(statement), statement.end_lineno or 0)
            kept = [_module(module).lines[line] for line in lines if line not in left_out]
            space = "\n" if isinstance(statement, ast.FunctionDef | ast.ClassDef) else ""
            yield same_name.sub(rf"\g<0>_{number}", space + "\n".join(kept) + space)


def _first_line(statement: ast.stmt) -> int:
    """Return the index of the line where a definition begins, decorators included."""
    nodes: list[ast.stmt | ast.expr] = [statement]
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        nodes += statement.decorator_list
    return min(node.lineno for node in nodes) - 1
