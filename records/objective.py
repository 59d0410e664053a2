"""What is searched for: the largest arrival rate at which response times stay below a limit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

RESULTS: Mapping[str, str] = {
    "throughput": "client_throughput_ops_per_s",
    "response_time": "client_response_time_ms",
    "p50": "client_p50_ms",
    "p90": "client_p90_ms",
    "p95": "client_p95_ms",
    "p99": "client_p99_ms",
}
"""What precision and limits can be asked of, and its name among the results of a run."""
QUANTITIES = {
    "response time": "response_time",
    **{name: name for name in RESULTS if name[0] == "p"},
}
RULE = (
    "such as `throughput with p99 < 5 ms`: the throughput that is sought, one of "
    f"{', '.join(QUANTITIES)}, `<`, and a limit in us, ms or s"
)
_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A limit of the response time, in undilated time.

    Parameters
    ----------
    quantity : ``response_time`` or a percentile, a name of `RESULTS`.
    limit_ms : what it has to stay below.
    """

    quantity: str
    limit_ms: float

    @classmethod
    def parse(cls, text: str) -> Objective:
        """Read ``throughput with p99 < 5 ms``.

        Raises
        ------
        ValueError
            It is not such a text; tells the rule.
        """
        names = "|".join(QUANTITIES)
        number = r"\d{1,9}(?:\.\d{1,9})?"
        pattern = rf"\s*throughput\s+with\s+({names})\s*<\s*({number})\s*(us|ms|s)\s*"
        found = re.fullmatch(pattern, text)
        if found is None or float(found[2]) <= 0:
            raise ValueError(f"an objective is {RULE}, got {text!r}")
        return cls(quantity=QUANTITIES[found[1]], limit_ms=float(found[2]) * _MS[found[3]])

    @classmethod
    def is_one(cls, text: str) -> bool:
        """Tell whether `parse` can read a text."""
        try:
            cls.parse(text)
        except ValueError:
            return False
        return True

    @property
    def result(self) -> str:
        """Name of what is limited among the results of a run."""
        return RESULTS[self.quantity]

    def text(self) -> str:
        """Return it as `parse` reads it."""
        name = next(shown for shown, known in QUANTITIES.items() if known == self.quantity)
        return f"throughput with {name} < {self.limit_ms:g} ms"
