"""Write the pages of `docs/reference` that are made from the code: `make manual`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from manual import columns, commands, inventory, programs, section_files
from records.paths import PROJECT

FOLDER = PROJECT / "docs" / "reference"
PAGES: Mapping[str, Callable[[], str]] = {
    "commands.md": commands.write,
    "section-files.md": section_files.write,
    "inventory.md": inventory.write,
    "tables.md": columns.write,
    "programs.md": programs.write,
}

if __name__ == "__main__":
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")
        print(FOLDER.relative_to(PROJECT) / name)
