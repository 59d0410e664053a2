"""Read the JSON file of memtier_benchmark, versions 1.2.9 to 2.4, and of the lab's own generator.

Five lines of it (2.3.1)::

    ,"Gets":{
        "Count": 14445
        ,"Ops/sec": 2888.33
        ,"Hits/sec": 2888.33
        ,"Misses/sec": 0.00

Errors of the tool, and how they are corrected:

- `Ops/sec` divides by a duration that 2.3.1 sometimes prints a whole second off: it is kept as
  `reported_throughput_ops_per_s`; throughput is counted from `seconds`
  (`analysis.tables.measures`).
- `Totals` latency is cut to whole ms in 2.1.2 to 2.3.0 and zeroed in 2.1.0: the total row is
  computed from the rows per request type.
- Percentile keys are cut to 6 characters (99.99 and 99.999 become one): percentiles are read from
  the histogram. Percentiles per second come from one connection only: left out.
- `-nan`, `inf` and absurd minima are missing values, and so is the response time of no request.
- With two runs the ``WORST RUN`` of 2.3.1 repeats the best one; it is returned as printed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.results.errors import ParseError
from analysis.results.files import parse_json, read_text
from analysis.results.memtier.result_section import MemtierRun, parse_run

_STRING_OR_NOT_FINITE = re.compile(r'"(?:[^"\\]|\\.)*"|-?\b(?:nan|inf)\b')
_EXTRAS = "middleware-lab"  # key of what only the lab's own generator writes


@dataclass(frozen=True, kw_only=True, eq=False)
class MemtierResult:
    """Content of one file: the options of memtier, and its runs (one without ``--run-count``)."""

    configuration: Mapping[str, Any]
    run_information: Mapping[str, Any]
    runs: tuple[MemtierRun, ...]

    @property
    def run(self) -> MemtierRun:
        """The only run of the file; ValueError if the file contains several."""
        if len(self.runs) != 1:
            raise ValueError(f"one run expected, got {[run.title for run in self.runs]}")
        return self.runs[0]


def read_memtier_json(path: Path | str) -> MemtierResult:
    """Read a file written with ``--json-out-file``, plain or gzip.

    Raises
    ------
    ParseError
        The file is cut (the tool was killed: it closes the JSON only when it ends by itself), is
        not JSON, lacks a field of its version, or contradicts itself.
    """
    path = Path(path)
    document = _load(path)
    try:
        extras = document.get(_EXTRAS, {})
        runs = tuple(
            parse_run(title, section, extras)
            for title, section in document.items()
            if isinstance(section, dict) and "Totals" in section
        )
        result = MemtierResult(
            configuration=document["configuration"],
            run_information=document["run information"],
            runs=runs,
        )
    except KeyError as exc:
        raise ParseError(path, None, f"field {exc} is missing") from exc
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as exc:
        raise ParseError(path, None, str(exc)) from exc
    if not runs:
        reason = extras.get("Error") or "the tool ended before it measured"
        raise ParseError(path, None, f"no results section: {reason}")
    return result


def _load(path: Path) -> dict[str, Any]:
    return parse_json(path, _STRING_OR_NOT_FINITE.sub(_not_finite_to_null, read_text(path)))


def _not_finite_to_null(match: re.Match[str]) -> str:
    token = match.group()
    return token if token.startswith('"') else "null"
