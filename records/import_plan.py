"""The plan of an import: how other people's raw files are named, and what is in them.

`docs/import.md` explains it with an example.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import field_validator, model_validator

from records.documents import Count, Document, Natural, Positive, one_of, told
from records.section import AnySettings, is_section_name
from records.settings import RULES

STDOUT, JSON, CONNECTIONS = "memtier-stdout", "memtier-json", "memtier-client-stats"
CLIENT_READERS = (STDOUT, JSON, CONNECTIONS)
SECONDS, REQUESTS = "csv-seconds", "csv-requests"
MIDDLEWARE_READERS = (SECONDS, REQUESTS)
DSTAT = "dstat"
NETWORK_READERS = ("ping", "iperf3", "iperf2")
READERS = (*CLIENT_READERS, *MIDDLEWARE_READERS, DSTAT, *NETWORK_READERS)

REPETITION, DURATION, CLIENT_HOSTS = "repetition", "duration_s", "client_hosts"
OF_RUNS = (REPETITION, DURATION, CLIENT_HOSTS)
"""Groups that state whole numbers about a run, and are no settings."""
OF_FILES = ("instance", "host", "role", "source", "target")
"""Groups that tell the files of one run from each other."""
ROLE_NAMES = ("clients", "middlewares", "servers")
REQUEST_TYPES = ("set", "get", "multi-get", "all")
"""``all`` stands for the only type of request that a run has."""
UNITS_MS = {"_s": 1000.0, "_ms": 1.0, "_us": 1e-3, "_ns": 1e-6}
TIMES = ("response_time", "queueing_time", "service_time", "servers_net_time")
STAMPS = ("t0", "t1", "t2", "t3", "t4", "t5")
_OF_TIME = rf"(?:{'|'.join(TIMES)})(?:{'|'.join(UNITS_MS)})"
_OF_SECOND = re.compile(
    "second|queue_length|waiting_workers"
    rf"|(?:{'|'.join(REQUEST_TYPES)})\.(?:requests|keys|misses|errors|miss_rate|{_OF_TIME})"
)
_OF_REQUEST = re.compile(
    rf"(?:{'|'.join(STAMPS)})(?:{'|'.join(UNITS_MS)})|request_type|queue_length|keys"
)


def _compiles(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


Pattern = Annotated[str, told("a regular expression", _compiles)]


class PathTable(Document):
    """The part of every path that states the configuration.

    Attributes
    ----------
    pattern : matches the beginning of every path below the folder; its named groups are settings,
        or groups that `sections` and `factors` use.
    absent : texts of groups that mean that the configuration does not have the setting.
    ignore : patterns of whole paths below the folder that are not read.
    """

    pattern: Pattern
    absent: list[str] = []
    ignore: list[Pattern] = []


class FactorTable(Document):
    """A setting that a group with another name, unit or notation states.

    Attributes
    ----------
    group : the group of a pattern; without it the group is named like the setting.
    levels : text of the group to level; ``*`` stands for all other texts.
    scale : factor of numbers, to our unit.
    """

    group: str = ""
    levels: dict[str, str | int | float | bool] = {}
    scale: Positive = 1


class FileTable(Document):
    """One kind of file.

    Attributes
    ----------
    reader : what wrote the file, and how.
    name : matches the rest of the path, after `path.pattern`. Groups: `repetition`, `instance` of
        the load generator, `host` (a number or a name), `role`, and of ping and iperf `source` and
        `target`; also settings.
    roles : text of the group `role` to clients, middlewares or servers.
    start, end : lines between which the CSV of a log stands; without them the whole file is CSV.
    header : names of the columns, where the log has no line with them.
    separator : between two cells.
    columns : column of the log to our name, with the unit at its end: such as
        ``set.queueing_time_s`` of a second, and ``t0_ns`` of a request.
    request_types : text of the column of request types to set, get or multi-get.
    histograms : type of request to the lines before and after a histogram of response times.
    bin_ms : width of a histogram's bins; the first begins at 0.
    """

    reader: Annotated[str, one_of(*READERS)]
    name: Pattern
    roles: dict[str, Annotated[str, one_of(*ROLE_NAMES)]] = {}
    start: str = ""
    end: str = ""
    header: list[str] = []
    separator: Annotated[str, told("one character", lambda text: len(text) == 1)] = ","
    columns: dict[str, str] = {}
    request_types: dict[str, Annotated[str, one_of(*REQUEST_TYPES[:3])]] = {}
    histograms: dict[
        Annotated[str, one_of(*REQUEST_TYPES)],
        Annotated[list[str], told("two lines, before and after", lambda both: len(both) == 2)],
    ] = {}
    bin_ms: Positive = 0.1

    @model_validator(mode="after")
    def _require_columns(self) -> FileTable:
        if self.reader not in MIDDLEWARE_READERS:
            return self
        known = _OF_SECOND if self.reader == SECONDS else _OF_REQUEST
        wrong = [name for name in self.columns.values() if not known.fullmatch(name)]
        if wrong:
            raise ValueError(
                f"columns: {wrong[0]!r} is no name that {self.reader} knows (docs/import.md)"
            )
        if not self.columns:
            raise ValueError("columns is missing: what the columns of the log mean")
        return self


class WindowTable(Document):
    """Seconds that are cut at both ends of every file."""

    warm_up_s: Natural = 0
    cool_down_s: Natural = 0


class ImportPlan(Document):
    """The whole plan.

    Attributes
    ----------
    title : who measured what, where it was published.
    fleet : name of the machines.
    generator : name and version of the load generator.
    links_mbit_per_s : role to the rate at which its hosts can send, where that was measured.
    sections : name of a section to the texts of groups that its runs have.
    constants : settings of all runs.
    duration_s : length of a run, where no group states it.
    """

    title: str
    fleet: Annotated[str, told("a name", lambda text: bool(text) and text.isprintable())]
    generator: str = "memtier_benchmark"
    links_mbit_per_s: dict[Annotated[str, one_of(*ROLE_NAMES)], Positive] = {}
    path: PathTable
    sections: dict[Annotated[str, told("the name of a section", is_section_name)], Any]
    factors: dict[Annotated[str, one_of(*RULES)], FactorTable] = {}
    constants: AnySettings = {}
    files: dict[str, FileTable]
    window: WindowTable = WindowTable()
    duration_s: Count | None = None

    @field_validator("sections")
    @classmethod
    def _require_texts(cls, sections: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
        for name, wanted in sections.items():
            texts = wanted.values() if isinstance(wanted, dict) else [None]
            for one in texts:
                if not isinstance(one, list) or not all(isinstance(text, str) for text in one):
                    raise ValueError(f'"{name}" must be groups with lists of texts, got {wanted!r}')
        return sections

    @model_validator(mode="after")
    def _require_groups(self) -> ImportPlan:
        """Refuse groups that nothing uses, and uses of groups that no pattern has."""
        groups = {
            name: place for place, text in self._patterns() for name in re.compile(text).groupindex
        }
        in_sections = {name for wanted in self.sections.values() for name in wanted}
        renamed = {name: table.group or name for name, table in self.factors.items()}
        known = {*RULES, *OF_FILES, *OF_RUNS, *in_sections, *renamed.values()}
        if unused := sorted(set(groups) - known):
            raise ValueError(
                f"{groups[unused[0]]}: nothing uses the group {unused[0]!r}; it is no setting "
                f"({', '.join(sorted(RULES))})"
            )
        for name, group in renamed.items():
            if group not in groups:
                raise ValueError(f"factors.{name}: no pattern has the group {group!r}")
        if missing := sorted(in_sections - set(groups)):
            raise ValueError(f"sections: no pattern has the group {missing[0]!r}")
        for name in ("workload", "num_servers", "value_bytes"):
            if name not in {*groups, *renamed, *self.constants}:
                raise ValueError(f"constants.{name} is missing, and no group or factor states it")
        return self

    def _patterns(self) -> list[tuple[str, str]]:
        return [
            ("path.pattern", self.path.pattern),
            *((f"files.{name}.name", table.name) for name, table in self.files.items()),
        ]
