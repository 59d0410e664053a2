"""The program as one file, which a host's own Python runs: a zipapp with its part of dpkt."""

from __future__ import annotations

import importlib.metadata
import io
import zipfile
from functools import cache
from pathlib import Path

PROGRAM = "packets.pyz"
_PACKAGE = Path(__file__).parent
_MAIN = "from remote.packets.program import main\n\nraise SystemExit(main())\n"
_OF_DPKT = ("compat.py", "dpkt.py", "pcap.py", "utils.py")
_ALWAYS = (1980, 1, 1, 0, 0, 0)  # the same content is the same file, which hosts get but once


@cache
def program_bytes() -> bytes:
    """Return the program; the same bytes as long as no module of it changes."""
    dpkt = importlib.metadata.distribution("dpkt")
    files = {
        "__main__.py": _MAIN,
        "remote/__init__.py": '"""The part that runs on hosts."""\n',
        **{f"remote/packets/{path.name}": path.read_text() for path in _PACKAGE.glob("*.py")},
        "dpkt/__init__.py": '"""Its reading of captures; the rest is left out."""\n',
        **{
            f"dpkt/{name}": Path(str(dpkt.locate_file(f"dpkt/{name}"))).read_text()
            for name in _OF_DPKT
        },
        "dpkt/LICENSE": _license(dpkt),
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in sorted(files.items()):
            info = zipfile.ZipInfo(name, _ALWAYS)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, text)
    return content.getvalue()


def _license(dpkt: importlib.metadata.Distribution) -> str:
    return next(
        path.read_text() for path in dpkt.files or () if path.name.upper().startswith("LICENSE")
    )
