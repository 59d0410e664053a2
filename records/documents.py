"""Files that people write, held to a model: every mistake is told by its place, rule and value."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from records.text.visible import shortened

_MOST = 10**15  # of a number: whatever it counts, and any sum of such numbers is one, too
_NUMBERS = (bool, int, float)
_DEEPEST = 50  # levels of tables and lists
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
_SHOWN = 400  # characters of a wrong value
_RULES = {  # of kinds that have none of their own, by pydantic's names of what may be wrong
    "string_type": "text",
    "bool_type": "true or false",
    "dict_type": "a table",
    "model_type": "a table",
    "dataclass_type": "a table",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
}


class Document(BaseModel):
    """A table of a file: nothing in it is unknown, converted or changed afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, table: Any) -> Any:
        """Name what is known, too; the other mistakes of the table wait."""
        unknown = sorted(set(table) - set(cls.model_fields)) if isinstance(table, dict) else []
        if unknown:
            known = ", ".join(sorted(cls.model_fields)) or "none"
            raise PydanticCustomError(
                "unknown", ": unknown {names}; known are {known}",
                {"names": ", ".join(unknown), "known": known},
            )  # fmt: skip
        return table


class Recorded(BaseModel):
    """A table of a record: written once, and read by later versions, which may know less of it."""

    model_config = ConfigDict(strict=True, frozen=True)


Kind = TypeVar("Kind")
LONGEST_PHASE_S = 7 * 24 * 3600
_NOTHING = object()  # that no file can hold


def told(rule: str, accepts: Callable[[Any], object] = lambda _: True) -> WrapValidator:
    """Tell every mistake of an ``Annotated`` value by the whole rule: ``must be <rule>, got ...``.

    Parameters
    ----------
    accepts : what must be true of a value of the right type.
    """

    def checked(value: Any, of_type: ValidatorFunctionWrapHandler) -> Any:
        try:
            made = of_type(value)
            is_accepted = accepts(made)
        except ValidationError:
            is_accepted = False
        if not is_accepted:
            raise PydanticCustomError("rule", "{rule}", {"rule": rule})
        return made

    return WrapValidator(checked)


def whole_number(least: int, most: int | None = None) -> WrapValidator:
    """Return the rule of whole numbers from `least`, to `most` if it is given."""
    if most is None:
        return told(f"a whole number >= {least}", lambda value: value >= least)
    return told(f"a whole number {least} to {most}", lambda value: least <= value <= most)


def number(least: float, most: float) -> WrapValidator:
    """Return the rule of numbers from `least` to `most`."""
    return told(f"a number {least:g} to {most:g}", lambda value: least <= value <= most)


def one_of(*names: str) -> WrapValidator:
    """Return the rule of a few texts."""
    return told(f"one of {', '.join(names)}", lambda value: value in names)


def matching(rule: str, pattern: str) -> WrapValidator:
    """Return the rule of texts that are, whole, as `pattern` has them."""
    whole = re.compile(pattern, re.ASCII).fullmatch
    return told(rule, lambda value: whole(value) is not None)


Count = Annotated[int, whole_number(1)]
Natural = Annotated[int, whole_number(0)]
Seconds = Annotated[int | float, number(0, LONGEST_PHASE_S)]
WholeSeconds = Annotated[int, whole_number(0, LONGEST_PHASE_S)]
Positive = Annotated[
    int | float, told(f"a number > 0, at most {_MOST:g}", lambda value: 0 < value <= _MOST)
]


def table_of(kinds: Mapping[str, Any]) -> PlainValidator:
    """Return the rule of tables of which each key has a kind of its own, and none must be there.

    They become dicts in the order of the file.
    """
    fields: dict[str, Any] = {name: (kind, None) for name, kind in kinds.items()}
    model = create_model("Table", __base__=Document, **fields)

    def checked(table: Any) -> dict[str, Any]:
        made = model.model_validate(table)
        return {name: getattr(made, name) for name in table}

    return PlainValidator(checked)


def parse(kind: type[Kind], document: Any) -> Kind:
    """Hold what a file holds to a `Document`, or to another model or dataclass.

    Raises
    ------
    ValueError
        Tells all that is wrong; each mistake begins with its place.
    """
    try:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind.model_validate(document)
        return TypeAdapter(kind).validate_python(document)
    except ValidationError as exc:
        mistakes = [_mistake(error) for error in exc.errors(include_url=False)]
    if len(mistakes) == 1:
        raise ValueError(mistakes[0])
    raise ValueError("\n  ".join([f"{len(mistakes)} mistakes:", *mistakes]))


def rule_of(kind: Any) -> str:
    """Return what a value must be, in the words by which a wrong one is refused."""
    try:
        TypeAdapter(kind).validate_python(_NOTHING)
    except ValidationError as exc:
        errors = exc.errors(include_url=False)
        return next(rule for error in errors if (rule := _rule(error)))
    raise ValueError(f"{kind} takes anything: it has no rule")


def read_regular(path: Path, most_bytes: int) -> bytes:
    """Read a regular file of at most `most_bytes`; a pipe or a device may never end.

    Raises
    ------
    OSError
        The file cannot be read, is not regular, or is larger.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    with path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, f"has more than {most_bytes} bytes", str(path))
    return content


def read_json(path: Path, most_bytes: int) -> Any:
    """Read a file of JSON, which is someone else's as often as not.

    Raises
    ------
    OSError
        As `read_regular`.
    ValueError
        It is not JSON, or a value in it is refused by `require_plain_values`.
    """
    try:
        document = json.loads(read_regular(path, most_bytes))
    except RecursionError as exc:
        raise ValueError("it is nested without end, or nearly so") from exc
    require_plain_values(document)
    return document


def require_plain_values(document: Any) -> None:
    """Refuse numbers that are too large or not finite, halves of characters, and endless nesting.

    Raises
    ------
    ValueError
        Names the place of one such value.
    """
    if _are_plain((document,), 0):
        return
    left: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while left:
        place, value = left.pop()
        if len(place) > _DEEPEST:
            raise ValueError(f"{place_of(place[:4])} is nested deeper than {_DEEPEST} levels")
        rule = ""
        if isinstance(value, dict):
            left += [((*place, key), one) for key, part in value.items() for one in (key, part)]
        elif isinstance(value, list):
            left += [((*place, index), one) for index, one in enumerate(value)]
        elif isinstance(value, str) and _HALF_A_CHARACTER.search(value):
            rule = "text of whole characters"
        elif isinstance(value, int | float) and not abs(value) <= _MOST:
            rule = f"a number of at most {_MOST:g}"
        if rule:
            shown = "more" if isinstance(value, int) else shortened(repr(value), _SHOWN)
            raise ValueError(f"{place_of(place)} must be {rule}, got {shown}")


def _are_plain(values: Iterable[Any], level: int) -> bool:
    """Tell whether nothing in values has to be refused, much faster than saying where it is."""
    for value in values:
        kind = type(value)
        if kind is str:
            if not value.isascii() and _HALF_A_CHARACTER.search(value):
                return False
        elif kind is dict:
            if level >= _DEEPEST or not _are_plain((*value, *value.values()), level + 1):
                return False
        elif kind is list:
            if level >= _DEEPEST or not _are_plain(value, level + 1):
                return False
        elif not (value is None or (kind in _NUMBERS and -_MOST <= value <= _MOST)):
            return False
    return True


def place_of(location: Sequence[str | int]) -> str:
    """Write where something stands: ``profiles.smoke.pauses[1].server``, counted from 1."""
    parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".")


def _mistake(error: ErrorDetails) -> str:
    place, kind = place_of(error["loc"]) or "the top level", error["type"]
    if kind == "missing":
        return f"{place} is missing"
    if kind == "unknown":
        return f"{place}{error['msg']}"
    rule = _rule(error)
    if rule is None:  # what a validator of the model itself says
        told_by_itself = error["msg"].removeprefix("Value error, ")
        return f"{place} {told_by_itself}" if error["loc"] else told_by_itself
    return f"{place} must be {rule}, got {shortened(repr(error['input']), _SHOWN)}"


def _rule(error: ErrorDetails) -> str | None:
    return error["msg"] if error["type"] == "rule" else _RULES.get(error["type"])
