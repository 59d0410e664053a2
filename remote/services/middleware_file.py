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

import hashlib
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, model_validator

from records.documents import Document, matching, parse, told, whole_number
from records.names import NAME, NAME_RULE, is_plain
from remote.errors import ConfigError
from remote.services import template
from remote.toml_files import read_toml

FOLDER = Path(__file__).resolve().parents[1] / "middlewares"
OWN = "mwlab"
"""The middleware of this project, which is under test where nothing else is said."""
SUFFIX = ".toml"
STATISTICS = "middleware"
"""The folder, in that of the job, where a middleware that knows how writes what it measured."""
ADMIN_PORT, STATISTICS_WORD, FOLLOW = "admin_port", "statistics", "follow"
TOLD = {
    "workers": "workers",
    "routing": "routing",
    "dispatch": "dispatch",
    "transport": "transport",
    "sharded": "sharded",
    "replicas": "replicas",
    "net_threads": "net_threads",
    "depth": "depth",
    "backend": "backend",
    "locks": "locks",
    "synchronous_commit": "synchronous_commit",
    "server_timeout_s": "server_timeout_ms",
}
"""Settings that a middleware may be told, and the word that tells each."""
WORDS = (
    *("address", "port", "servers", "databases", "prepare_database", "folder", "programs"),
    *(STATISTICS_WORD, ADMIN_PORT, FOLLOW),
    *TOLD.values(),
)

Words = Mapping[str, Any]
_FileName = Annotated[str, matching("a plain file name, no folder", NAME)]
_Digest = Annotated[str, matching("64 hexadecimal digits", "[0-9a-f]{64}")]
_Text = Annotated[str, told("a text without NUL", lambda text: "\0" not in text)]
_Template = Annotated[str, AfterValidator(template.checked)]


class _File(Document):
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
    fixed: dict[str, str | int | float | bool] = {}

    @model_validator(mode="after")
    def _require_known(self) -> _File:
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
        if unknown := sorted(set(self.fixed) - set(TOLD)):
            known = ", ".join(sorted(TOLD))
            raise ValueError(f"fixed: unknown {', '.join(unknown)}; known are {known}")
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
    packages: tuple[str, ...] = ()
    ready: str = ""
    signal: str = "TERM"
    exit_statuses: tuple[int, ...] = (0, 143)
    fixed: Mapping[str, str | int | float | bool] = field(default_factory=dict)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that its templates hold."""
        return _words_of(self)

    def takes(self, setting: str) -> bool:
        """Tell whether it can be told a setting of middlewares."""
        return setting not in TOLD or (setting not in self.fixed and TOLD[setting] in self.words)

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

    def started_with(self, words: Words) -> Launch:
        """Return how it is started with a value for each of `WORDS`.

        Raises
        ------
        ConfigError
            A template cannot be filled in, or its command has an unclosed quotation.
        """
        paths = {"folder", "programs", STATISTICS_WORD}
        quoted = {k: shlex.quote(v) if k in paths else v for k, v in words.items()}
        command = self._filled("command", self.command, quoted)
        try:
            arguments = shlex.split(command)
        except ValueError as exc:
            raise ConfigError(f"middleware {self.name}", f"command: {exc}: {command}") from exc
        configuration = {
            name: self._filled(f"configuration.{name}", text, words)
            for name, text in self.configuration.items()
        }
        return Launch(middleware=self, command=shlex.join(arguments), configuration=configuration)

    def _filled(self, place: str, text: str, words: Words) -> str:
        try:
            return template.filled(text, dict(words)).strip() + "\n"
        except ValueError as exc:
            raise ConfigError(f"middleware {self.name}", f"{place}: {exc}") from exc


@dataclass(frozen=True, kw_only=True)
class Launch:
    """A middleware on one host, as it is started there: its command line and its files' texts."""

    middleware: Middleware
    command: str
    configuration: Mapping[str, str]


def kept_folder(folder: Path, name: str) -> Path:
    """Return where a middleware and its files are kept below a folder of section files."""
    return folder / "middlewares" / name


@cache
def own_middleware() -> Middleware:
    """Return the middleware of this project."""
    return read_middleware_file(FOLDER / f"{OWN}{SUFFIX}")


def middleware_file(name: str, folders: Iterable[Path]) -> Path:
    """Return the file of a middleware: in one of `folders`, or what is shipped.

    In a folder it stands as ``<name>.toml``, or as ``middlewares/<name>/<name>.toml``, where
    campaigns keep it.

    Raises
    ------
    ConfigError
        There is none, or one of the user's own has the name of one that is shipped.
    """
    file = f"{name}{SUFFIX}"
    own = [path for f in folders for path in (f / file, kept_folder(f, name) / file)]
    found = next((path for path in own if path.is_file()), None)
    shipped = FOLDER / file
    if found is None:
        if shipped.is_file():
            return shipped
        known = ", ".join(sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}")))
        raise ConfigError(
            file, f"no middleware `{name}`: there are {known}, and no file {own[0]} either"
        )
    if shipped.is_file() and found.resolve() != shipped:
        raise ConfigError(found, f"there is a middleware `{name}` already: rename the file")
    return found


def find_middleware_file(middleware: str, folders: Iterable[Path]) -> Path:
    """Return the file of a middleware that is given as the path of it, or as a name.

    Raises
    ------
    ConfigError
        As `middleware_file`, or there is no such file.
    """
    if not middleware.endswith(SUFFIX):
        return middleware_file(middleware, folders)
    path = Path(middleware)
    if not path.is_file():
        raise ConfigError(path, "no such middleware file")
    return middleware_file(path.stem, [path.parent])


def read_middleware_file(path: Path) -> Middleware:
    """Read a middleware file and the digests of the files that it names, which stand beside it.

    Raises
    ------
    ConfigError
        A key, a template or a file is wrong or missing; names the place and the rule.
    """
    if not is_plain(path.stem):
        raise ConfigError(
            path, f"a middleware is named after its file; its name consists of {NAME_RULE}"
        )
    document = read_toml(path)
    try:
        file = parse(_File, document)
    except ValueError as exc:
        raise ConfigError(path, str(exc)) from exc
    digests = {}
    for name in file.files:
        digests[name] = _digest(path, name)
    return Middleware(
        name=path.stem,
        title=file.title or path.stem,
        command=file.command,
        files=digests,
        configuration=dict(file.configuration),
        packages=tuple(file.packages),
        ready=file.ready,
        signal=file.signal,
        exit_statuses=tuple(file.exit_statuses),
        fixed=dict(file.fixed),
    )


def _digest(path: Path, name: str) -> str:
    """Return the SHA-256 of a file that the middleware file `path` names, in hexadecimal digits.

    It may be a link into a folder beside it, such as ``target/``: but not one that leads elsewhere,
    for what it leads to is brought to hosts and kept with the campaign.
    """
    folder, beside = path.parent.resolve(), (path.parent / name).resolve()
    if not beside.is_relative_to(folder):
        raise ConfigError(
            path, f"files names {name}, a link to {beside}: copy that file into {folder}"
        )
    if beside.exists() and not beside.is_file():
        raise ConfigError(path, f"files names {name}, which is no regular file: remove it")
    try:
        with beside.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as exc:
        raise ConfigError(path, f"files names {name}: {exc}; put it beside {path}") from exc


def require_plain(name: str, middleware: Middleware) -> None:
    """Hold a middleware of someone else's manifest, called `name` there, to the rules of files.

    Raises
    ------
    ValueError
        Tells all that is wrong.
    """
    if name != middleware.name or not is_plain(name):
        raise ValueError(f"must be called by its name, {NAME_RULE}, got {name!r}")
    document: dict[str, Any] = {key: getattr(middleware, key) for key in _File.model_fields}
    lists = ("files", "packages", "exit_statuses")
    parse(_File, {**document, **{key: list(document[key]) for key in lists}})


def _words_of(file: _File | Middleware) -> frozenset[str]:
    texts = (file.command, *file.configuration.values())
    return frozenset().union(*map(template.words_of, texts))
