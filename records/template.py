"""Templates of middleware files: of Jinja as much as fills in words, in bounded time and length.

The template may be someone else's. It consists of `{{ word }}`, `{% if %}` and one level of
`{% for server in servers %}`, with comparisons, sums and the filters of `FILTERS`; everything else
of Jinja is refused before it runs, for a loop in a loop or a product could take hours.
"""

from __future__ import annotations

from jinja2 import StrictUndefined, TemplateError, meta, nodes
from jinja2.sandbox import SandboxedEnvironment

LISTS = ("servers", "databases")
"""The words that are lists: only these are looped over and joined."""
FILTERS = ("default", "first", "int", "join", "last", "length", "lower", "trim", "upper")
LONGEST = 1 << 16
"""Characters of a template, and of a template that is filled in."""
_ENVIRONMENT = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
_ALLOWED: tuple[type[nodes.Node], ...] = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Tuple),
    *(nodes.List, nodes.If, nodes.For, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And),
    *(nodes.Or, nodes.Not, nodes.Add, nodes.Sub, nodes.Div, nodes.Concat, nodes.Filter),
    *(nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Neg, nodes.Test),
)


def words_of(text: str) -> frozenset[str]:
    """Return the words that a template holds."""
    return frozenset(meta.find_undeclared_variables(_ENVIRONMENT.parse(text)))


def checked(text: str) -> str:
    """Return a template that may be filled in.

    Raises
    ------
    ValueError
        It is no template, is too long, or has what could take long; names the line.
    """
    if len(text) > LONGEST:
        raise ValueError(f"has {len(text)} characters, and a template at most {LONGEST}")
    try:
        parsed = _ENVIRONMENT.parse(text)
        _require_bounded(parsed)
        _ENVIRONMENT.from_string(parsed)
    except (TemplateError, SyntaxError, MemoryError, RecursionError) as exc:
        raise ValueError(f"is not a template: {exc or 'it is nested without end'}") from exc
    return text


def filled(text: str, words: dict[str, object]) -> str:
    """Fill a `checked` template in.

    Raises
    ------
    ValueError
        A value is missing or of the wrong kind, or the text becomes too long.
    """
    pieces: list[str] = []
    length = 0
    try:
        for piece in _ENVIRONMENT.from_string(text).generate(words):
            pieces.append(piece)
            length += len(piece)
            if length > LONGEST:
                raise ValueError(f"becomes longer than {LONGEST} characters when it is filled in")
    except (TemplateError, ArithmeticError, TypeError) as exc:
        raise ValueError(str(exc)) from exc
    return "".join(pieces)


def _require_bounded(parsed: nodes.Template) -> None:
    for node in parsed.find_all(nodes.Node):
        if reason := _refused(node):
            raise ValueError(
                f"line {node.lineno}: {reason}: a template may hold words, `if`, one level of "
                f"`for ... in` {' or '.join(LISTS)}, comparisons, `+`, `-`, `/`, `.split(':')` and "
                f"the filters {', '.join(FILTERS)}"
            )


def _refused(node: nodes.Node) -> str:
    """Return why a part of a template is refused, or nothing."""
    if isinstance(node, nodes.For) and (
        not _is_list(node.iter) or node.recursive or any(node.find_all(nodes.For))
    ):
        return "a loop goes over a list, and holds no other"
    if isinstance(node, nodes.Filter):
        if node.name not in FILTERS:
            return f"there is no filter `{node.name}`"
        if node.name == "join" and not _is_list(node.node):
            return "only lists are joined"
        return ""
    if isinstance(node, nodes.Call):
        is_split = isinstance(node.node, nodes.Getattr) and node.node.attr == "split"
        plain = not node.kwargs and all(isinstance(one, nodes.Const) for one in node.args)
        return "" if is_split and plain else "there is no function but `split`"
    return "" if isinstance(node, (*_ALLOWED, nodes.Helper)) else f"`{type(node).__name__}`"


def _is_list(node: nodes.Node | None) -> bool:
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice):
        node = node.node
    return isinstance(node, nodes.Name) and node.name in LISTS
