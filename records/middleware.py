"""A middleware as a file: how any program of that kind is brought, told its settings and ended.

Four lines are enough for one with the course's command line::

    command = "java -jar {{ folder }}/mine.jar -l {{ address }} -p {{ port }} -t {{ workers }}
        -s {{ sharded }} -m {{ servers | join(' ') }}"
    files = ["mine.jar"]

`WORDS` are what a command and a configuration may hold in double braces (Jinja2). A setting that
neither holds cannot be told to that middleware, and is varied for others only; `fixed` says what it
is by itself, where that is not what the course's middlewares do. The file may be someone else's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, model_validator

from records import template
from records.documents import Document, matching, parse, table_of, told, whole_number
from records.names import NAME, NAME_RULE, is_plain
from records.settings import RULES, SETTINGS, Level, Settings

ADMIN_PORT, STATISTICS_WORD, FOLLOW, OPTIONS = "admin_port", "statistics", "follow", "options"
TOLD: Mapping[str, str] = {
    name: f"{name.removesuffix('_s')}_ms" if setting.unit == "s" else name
    for name, setting in SETTINGS.items()
    if setting.table == "middleware" and setting.option
}
"""Settings that a middleware may be told, and the word that tells each; times are in ms."""
WORDS = (
    *("address", "port", "servers", "databases", "prepare_database", "folder", "programs"),
    *(STATISTICS_WORD, ADMIN_PORT, FOLLOW, OPTIONS),
    *TOLD.values(),
)

_FileName = Annotated[str, matching("a plain file name, no folder", NAME)]
_Digest = Annotated[str, matching("64 hexadecimal digits", "[0-9a-f]{64}")]
_Text = Annotated[str, told("a text without NUL", lambda text: "\0" not in text)]
_Template = Annotated[str, AfterValidator(template.checked)]


class MiddlewareFile(Document):
    """What a middleware file may hold; `Middleware` has the same with the digests of files."""

    command: Annotated[
        _Text, told("a command without NUL", str.strip), AfterValidator(template.checked)
    ]
    title: str = ""
    files: list[_FileName] = []
    configuration: dict[_FileName, _Template] = {}
    packages: list[
        Annotated[str, matching("a package's name", r"[a-z0-9][a-z0-9.+-]*[a-z0-9.+]")]
    ] = []
    ready: _Text = ""
    signal: Annotated[str, matching("a signal such as TERM", "[A-Z][A-Z0-9]*")] = "TERM"
    exit_statuses: list[Annotated[int, whole_number(0, 255)]] = [0, 143]
    fixed: Annotated[dict[str, Level], table_of({name: RULES[name] for name in TOLD})] = {}

    @model_validator(mode="after")
    def _require_known(self) -> MiddlewareFile:
        words = _words_of(self)
        if unknown := sorted(words - set(WORDS)):
            known = ", ".join(sorted(WORDS))
            raise ValueError(f"unknown word {', '.join(unknown)}; known are {known}")
        for word in ("port", "servers"):
            if word not in words:
                raise ValueError(
                    f"neither command nor configuration holds {{{{ {word} }}}}: "
                    "it cannot know where to listen, or which servers there are"
                )
        return self


@dataclass(frozen=True, kw_only=True)
class Middleware:
    """A program that stands between clients and servers.

    Attributes
    ----------
    command : of one program with its arguments, a template.
    files : name of what is brought to the host, beside each other, to its SHA-256.
    configuration : name of a file in the folder where it runs to its template.
    packages : of Debian, that have the program.
    ready : what the line begins with by which it tells that it listens; empty where it tells
        nothing, and its port is watched.
    signal : what ends it.
    exit_statuses : how it may end then.
    fixed : settings that it has without being told.
    """

    name: str
    title: str
    command: str
    files: Mapping[str, _Digest] = field(default_factory=dict)
    configuration: Mapping[str, str] = field(default_factory=dict)
    packages: list[str] = field(default_factory=list)
    ready: str = ""
    signal: str = "TERM"
    exit_statuses: list[int] = field(default_factory=lambda: [0, 143])
    fixed: Mapping[str, Level] = field(default_factory=dict)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that its templates hold."""
        return _words_of(self)

    def takes(self, setting: str) -> bool:
        """Tell whether it can be told a setting of middlewares."""
        if setting not in TOLD:
            return True
        return setting not in self.fixed and not self.words.isdisjoint((TOLD[setting], OPTIONS))

    @property
    def tells_statistics(self) -> bool:
        """Whether it writes what it measured; of a black box only packets tell anything."""
        return STATISTICS_WORD in self.words

    @property
    def follows(self) -> bool:
        """Whether it writes down single requests itself; else packets have to tell of them."""
        return FOLLOW in self.words

    @property
    def has_admin_port(self) -> bool:
        """Whether it tells its counters while it runs."""
        return ADMIN_PORT in self.words

    def told_settings(self, settings: Settings, time_dilation: float) -> dict[str, Level | None]:
        """Return a value for each word that tells a setting.

        It is a number, a text, or what this project's middleware is told for true and false;
        `OPTIONS` are all of its arguments that tell settings.
        """
        words: dict[str, Level | None] = {FOLLOW: settings.follow}
        for name, word in TOLD.items():
            level = getattr(settings, name)
            known = None if level is None else SETTINGS[name].on_clock(level, time_dilation)
            words[word] = round(known) if isinstance(known, float) else known
        return {**words, OPTIONS: " ".join(settings.options("middleware", time_dilation))}


def require_plain(name: str, middleware: Middleware) -> None:
    """Hold a middleware of someone else's manifest, called `name` there, to the rules of files.

    Raises
    ------
    ValueError
        Tells all that is wrong.
    """
    if name != middleware.name or not is_plain(name):
        raise ValueError(f"must be called by its name, {NAME_RULE}, got {name!r}")
    document = {key: getattr(middleware, key) for key in MiddlewareFile.model_fields}
    parse(MiddlewareFile, {**document, "files": list(middleware.files)})


def _words_of(file: MiddlewareFile | Middleware) -> frozenset[str]:
    texts = (file.command, *file.configuration.values())
    return frozenset().union(*map(template.words_of, texts))
