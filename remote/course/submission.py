"""What a student states of a system: a file of TOML, which is read and never run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import model_validator

from records.documents import Document, Positive, one_of, parse, whole_number
from records.files.atomic import write_whole
from remote.campaign.search_file import as_toml
from remote.course.assignment import CHANGES, RESOURCES
from remote.errors import ConfigError
from remote.toml_files import read_toml

LARGEST_BYTES = 16_384
Bounds = tuple[float, float]


class Interval(Document):
    """Bounds of a 95 % interval."""

    low: Positive
    high: Positive

    @model_validator(mode="after")
    def _require_order(self) -> Interval:
        if self.low > self.high:
            raise ValueError(f"goes from low to high, got {self.low:g} to {self.high:g}")
        return self

    @property
    def bounds(self) -> Bounds:
        """The two of them."""
        return float(self.low), float(self.high)


class Limit(Document):
    """The limiting resource, and the throughput with half as much again of it over that without."""

    resource: Annotated[str, one_of(*RESOURCES)]
    gain: Interval


class Change(Document):
    """One of `CHANGES`, and the throughput with it over that without; below 1 for a loss."""

    of: Annotated[str, one_of(*CHANGES)]
    gain: Interval


class Submission(Document):
    """Three statements about the assignment of a seed.

    The capacity is the throughput at its largest load; the change is not that of the bottleneck.
    """

    assignment: Annotated[int, whole_number(0)]
    bottleneck: Limit
    capacity_ops_per_s: Interval
    change: Change

    @model_validator(mode="after")
    def _require_another(self) -> Submission:
        if self.change.of == self.bottleneck.resource:
            raise ValueError(
                f"change.of must be something other than the bottleneck, got {self.change.of!r} "
                "twice: its gain is stated already"
            )
        return self


def read_submission(path: Path) -> Submission:
    """Read a submission."""
    try:
        return parse(Submission, read_toml(path, LARGEST_BYTES))
    except ValueError as exc:
        raise ConfigError(path, str(exc)) from exc


def write_submission(
    path: str | Path,
    *,
    assignment: int,
    bottleneck: str,
    bottleneck_gain: Bounds,
    capacity_ops_per_s: Bounds,
    change: str,
    change_gain: Bounds,
) -> Submission:
    """Write a submission from a notebook, and return what it states; bounds are low and high."""
    path = Path(path)
    document = {
        "assignment": assignment,
        "bottleneck": {"resource": bottleneck, "gain": _table(bottleneck_gain)},
        "capacity_ops_per_s": _table(capacity_ops_per_s),
        "change": {"of": change, "gain": _table(change_gain)},
    }
    try:
        submission = parse(Submission, document)
    except ValueError as exc:
        raise ConfigError(path, str(exc)) from exc
    write_whole(path, as_toml(document).encode())
    return submission


def _table(bounds: Bounds) -> dict[str, float]:
    low, high = bounds
    return {"low": float(low), "high": float(high)}
