"""A section file that leaves the most to another one, its base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CONSTANTS = ("generator", "middleware", "database")
_MEASURED_FOR = ("precision", "repetitions", "stable_s", "warm_up_s", "cool_down_s")


def on_base(document: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return a section file with all that it leaves to its base.

    Each of its tables is laid over the base's table of that name, name by name. Its factors, parts,
    precision, time dilation and constants also replace those in the base's profiles, and its
    factors replace the base's constants.

    Parameters
    ----------
    document, base : what the files hold, not yet held to any rules.
    """
    merged = dict(base)
    for name, value in document.items():
        merged[name] = {**_table(merged, name), **value} if isinstance(value, Mapping) else value
    factors = _table(document, "factors")
    if "extra" not in document and "extra" in base:
        merged["extra"] = _without(base["extra"], factors)
    for table in _CONSTANTS:
        if table in base:
            merged[table] = _without(merged[table], set(factors) - set(_table(document, table)))
    own_profiles = _table(document, "profiles")
    if "profiles" in base:
        merged["profiles"] = {
            name: own_profiles[name] if name in own_profiles else _profile(profile, document)
            for name, profile in _table(merged, "profiles").items()
        }
    return merged


def _profile(profile: Any, document: Mapping[str, Any]) -> Any:
    """Return what is left of a profile of the base."""
    if not isinstance(profile, Mapping):
        return profile
    said = {name for name in ("time_dilation", "parts") if name in document}
    said |= set(_MEASURED_FOR) if "precision" in document else set()
    left = _without(profile, said)
    if "factors" in left:
        left["factors"] = _without(left["factors"], _table(document, "factors"))
    for table in _CONSTANTS:
        if table in left:
            own = {*_table(document, table), *_table(document, "factors")}
            left[table] = _without(left[table], own)
    return left


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = document.get(name)
    return table if isinstance(table, Mapping) else {}


def _without(table: Any, names: Any) -> Any:
    if not isinstance(table, Mapping):
        return table
    return {name: value for name, value in table.items() if name not in names}
