"""Check the folder of a campaign, which may be someone else's, before anything in it is used."""

from __future__ import annotations

import os
from pathlib import Path

from remote.errors import ConfigError

_UNSEEN = "has characters in its name that cannot be seen: rename it"


def require_plain_files(folder: Path) -> None:
    """Refuse a folder in which anything is no plain file or folder; harmless if there is no folder.

    What is read or written through a symbolic link is not the campaign's, a pipe or a device has
    no end, and a name with invisible characters is none of ours. The folder itself may be reached
    by a link.
    """
    left = [str(folder)] if folder.is_dir() else []
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if not entry.name.isprintable():
                        raise ConfigError(entry.path, _UNSEEN)
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    elif not entry.is_file(follow_symlinks=False):
                        raise ConfigError(entry.path, _told(entry, folder))
        except FileNotFoundError:  # a controller has just removed it
            continue
        except OSError as exc:
            raise ConfigError(exc.filename, f"cannot be looked into: {exc.strerror}") from exc


def _told(entry: os.DirEntry[str], folder: Path) -> str:
    if entry.is_symlink():
        return (
            f"is a symbolic link to {Path(entry).readlink()}, and a campaign holds plain files and "
            "folders alone: put what it points to in its place, or remove it (a link to the whole "
            f"of {folder} is fine)"
        )
    return "is no plain file or folder, and a campaign holds nothing else: remove it"
