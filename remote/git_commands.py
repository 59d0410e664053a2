"""Commands of git, which by itself refuses to look at a repository of another user."""

from __future__ import annotations

from pathlib import Path

from records.paths import PROJECT


def git_command(repository: Path, *arguments: str) -> list[str]:
    """Return the command that runs git on a repository.

    The repository of this project is trusted whoever owns it, for example while root measures in
    the clone of another user: its settings may name programs that git starts, but the code of the
    project runs anyway. Other repositories are trusted as git decides.
    """
    folder = repository.resolve()
    trusted = ["-c", f"safe.directory={folder}"] if folder == PROJECT else []
    return ["git", *trusted, "-C", str(repository), *arguments]
