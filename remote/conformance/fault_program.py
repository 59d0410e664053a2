"""A program that shows a fault without the kit: the very code that found it, in one file.

The program holds the modules of its questions and all that these import, down to the client that
judges replies. So program and kit send the same bytes in the same packets, on the same connections,
and judge alike.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from importlib import import_module

from remote.conformance import running_bench
from remote.conformance.running_bench import Ask, Place

_OWN_PACKAGES = ("records", "remote", "analysis")
_PROGRAM = '''\
r"""{title}
"""

import sys
from types import ModuleType

if sys.version_info < (3, 10):
    sys.exit("needs Python 3.10 or later")

MODULES = {{}}
{modules}
for name, source in MODULES.items():
    sys.modules[name] = ModuleType(name)
    exec(compile(source, name, "exec"), sys.modules[name].__dict__)

running = sys.modules[{running!r}]
Place = running.Place
sys.exit(
    running.show(
        [{questions}],
        {place},
        patience_s={patience_s!r},
        stops_servers={stops_servers!r},
        times={times!r},
    )
)
'''


def program(
    questions: Sequence[tuple[str, Ask, float]],
    place: Place,
    *,
    title: str,
    patience_s: float,
    stops_servers: bool = False,
    times: int = 1,
) -> str:
    """Return the source of a program that asks `questions`; see `running_bench.show`.

    Parameters
    ----------
    title : lines for the program's docstring.
    """
    sources: dict[str, str] = {}
    for name in (running_bench.__name__, *(ask.__module__ for _, ask, _ in questions)):
        _add(sources, name)
    asked = (
        f"({text!r}, sys.modules[{ask.__module__!r}].{ask.__name__}, {time_s!r})"
        for text, ask, time_s in questions
    )
    return _PROGRAM.format(
        title=title,
        modules="\n".join(f"MODULES[{n!r}] = r'''\n{text}'''\n" for n, text in sources.items()),
        running=running_bench.__name__,
        questions=", ".join(asked),
        place=f"running.tunnelled({place!r})" if place.through else repr(place),
        patience_s=patience_s,
        stops_servers=stops_servers,
        times=times,
    )


def _add(sources: dict[str, str], name: str) -> None:
    """Add the source of a module of this project behind those that the module imports."""
    if name in sources or name.partition(".")[0] not in _OWN_PACKAGES:
        return
    source = inspect.getsource(import_module(name))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            _add(sources, node.module)
    sources[name] = source
