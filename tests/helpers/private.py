"""Whether a campaign that is shipped tells of people and their machines."""

import tarfile
from collections.abc import Iterable
from pathlib import Path

from remote.campaign.sharing.stand_ins import StandIns

_WITHOUT_TEXT = (".histograms", ".verbatim")


def assert_files_tell_nothing(paths: Iterable[Path]) -> None:
    """Go over manifests and records."""
    stand_ins = StandIns({}, {})
    for path in paths:
        text = path.read_text()
        assert stand_ins.text(text) == text, path
    assert not stand_ins.found


def assert_archive_tells_nothing(archive: Path) -> None:
    """Go over the raw files of a section."""
    stand_ins = StandIns({}, {})
    with tarfile.open(archive) as files:
        for entry in files:
            if not entry.name.endswith(_WITHOUT_TEXT):
                text = files.extractfile(entry).read().decode(errors="replace")
                of_host = Path(entry.name).parts[2:]  # none of the manifests' transcripts
                assert stand_ins.text(text, *of_host[:1]) == text, entry.name
    assert not stand_ins.found
