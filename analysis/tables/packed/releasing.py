"""Take archives of a campaign out of the work tree, once a commit holds them."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from analysis.git_commands import git_command
from analysis.paths import PROJECT
from analysis.results import ParseError
from analysis.tables.packed.archives import archive_path
from analysis.tables.packed.released import Released, record_released, released, sha256_of


def release(campaign_dir: Path, sections: Iterable[str], repository: Path = PROJECT) -> int:
    """Write down that the newest commit has the archives of some sections; git drops them.

    The files stay where they are, and are of the next commit no more.

    Returns
    -------
    int
        How many bytes of archives are released now.

    Raises
    ------
    ParseError
        The newest commit has no such archive, or another one; names it.
    """

    def git(*arguments: str) -> str:
        command = git_command(repository, *arguments)
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    paths = [archive_path(campaign_dir, section) for section in sections]
    raw_dir, commit = archive_path(campaign_dir, "any").parent, git("rev-parse", "HEAD")
    archives = released(raw_dir)
    for path in paths:
        place = path.resolve().relative_to(repository.resolve()).as_posix()
        try:
            same = git("rev-parse", f"{commit}:{place}") == git("hash-object", str(path.resolve()))
        except subprocess.CalledProcessError as exc:
            raise ParseError(path, None, f"cannot be released: {exc.stderr.strip()}") from exc
        if not same:
            raise ParseError(path, None, "cannot be released: the newest commit has another one")
        archives[path.name] = Released(
            commit=commit, path=place, bytes=path.stat().st_size, sha256=sha256_of(path)
        )
    record_released(raw_dir, dict(sorted(archives.items())))
    if paths:
        git("rm", "--quiet", "--cached", *(str(path.resolve()) for path in paths))
    return sum(one.bytes for one in archives.values())
