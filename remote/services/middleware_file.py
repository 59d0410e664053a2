"""Middleware files: finding and reading them, and what they start on a host."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from records import template
from records.documents import parse
from records.middleware import STATISTICS_WORD, Middleware, MiddlewareFile
from records.names import NAME_RULE, is_plain
from records.settings import OWN_MIDDLEWARE
from remote.errors import ConfigError
from remote.toml_files import read_toml

FOLDER = Path(__file__).resolve().parents[1] / "middlewares"
SUFFIX = ".toml"
STATISTICS = "middleware"
"""The folder, in that of the job, where a middleware that knows how writes what it measured."""

Words = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Launch:
    """A middleware on one host, as it is started there: its command line and its files' texts."""

    middleware: Middleware
    command: str
    configuration: Mapping[str, str]

    @classmethod
    def of(cls, middleware: Middleware, words: Words) -> Launch:
        """Fill in a middleware's templates with a value for each of `records.middleware.WORDS`.

        Raises
        ------
        ConfigError
            A template cannot be filled in, or its command has an unclosed quotation.
        """
        paths = {"folder", "programs", STATISTICS_WORD}
        quoted = {k: shlex.quote(str(v)) if k in paths else v for k, v in words.items()}
        command = _filled(middleware, "command", middleware.command, quoted)
        try:
            arguments = shlex.split(command)
        except ValueError as exc:
            raise ConfigError(
                f"middleware {middleware.name}", f"command: {exc}: {command}"
            ) from exc
        configuration = {
            name: _filled(middleware, f"configuration.{name}", text, words)
            for name, text in middleware.configuration.items()
        }
        return cls(
            middleware=middleware, command=shlex.join(arguments), configuration=configuration
        )


def _filled(middleware: Middleware, place: str, text: str, words: Words) -> str:
    try:
        return template.filled(text, dict(words)).strip() + "\n"
    except ValueError as exc:
        raise ConfigError(f"middleware {middleware.name}", f"{place}: {exc}") from exc


def kept_folder(folder: Path, name: str) -> Path:
    """Return where a middleware and its files are kept below a folder of section files."""
    return folder / "middlewares" / name


@cache
def own_middleware() -> Middleware:
    """Return the middleware of this project."""
    return read_middleware_file(FOLDER / f"{OWN_MIDDLEWARE}{SUFFIX}")


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
        file = parse(MiddlewareFile, document)
    except ValueError as exc:
        raise ConfigError(path, str(exc)) from exc
    digests = {name: _digest(path, name) for name in file.files}
    named = {"name": path.stem, "title": file.title or path.stem}
    return Middleware(**{**dict(file), **named, "files": digests})


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
