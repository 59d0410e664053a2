"""The files of a campaign's runs in one archive per section, for campaigns that are handed on.

Runs are many small files that look alike, each compressed by itself: together they take a fraction
of that. ``raw/<section>.tar.xz`` holds them as they are before that compression, and their
checksums and jobs, which are three fifths of a manifest. The rest of the manifests is in one
file (`analysis.results.manifests`). Readers of tables and manifests see no difference; who needs
the files asks `raw_files`, or has them put back. What tells of followed requests has an archive of
its own, in ``raw/requests``. A copy that lacks archives has manifests and tables all the same.
"""

from analysis.tables.packed.archives import (
    SUFFIX,
    archive_path,
    archives_of,
    packed_sections,
    requests_path,
    require_files,
    sections_without_files,
)
from analysis.tables.packed.lending import raw_files, raw_requests
from analysis.tables.packed.packing import Packed, pack, unpack

__all__ = [
    "SUFFIX",
    "Packed",
    "archive_path",
    "archives_of",
    "pack",
    "packed_sections",
    "raw_files",
    "raw_requests",
    "requests_path",
    "require_files",
    "sections_without_files",
    "unpack",
]
