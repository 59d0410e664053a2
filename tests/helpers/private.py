"""What a shipped campaign tells of people and their machines; its makers put stand-ins there."""

import ipaddress
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

_WITHOUT_TEXT = (".histograms", ".verbatim")
_NOBODYS = [  # for documentation, for benchmarks as in the local lab, loopback, multicast
    *map(ipaddress.ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")),
    *map(ipaddress.ip_network, ("198.18.0.0/15", "0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3")),
    *map(ipaddress.ip_network, ("2001:db8::/32", "::/127", "ff00::/8")),
]
_ADDRESS = re.compile(
    r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\d|\.\d)"
    r"|(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])"
)
_PERSON = re.compile(
    r"(?<![\w./-])/(?:home|Users)/(?P<home>[\w.@+-]+)"
    r"|/\.ssh/(?!known_hosts\b|config\b)(?P<key_file>[\w.@+-]+)"
    r"|SHA256:(?P<fingerprint>[A-Za-z0-9+/]{43})"
    r"|(?<![\w-])(?:ssh|ecdsa)-[\w-]{1,60} (?P<key>AAAA[\w+/=]+)"
    r"|(?<![\w.+/@-])(?P<login>[\w.+-]+)(?=@[\w\[])"
    r"|\buser (?P<refused>[\w.+-]+)(?= was refused)"
    r'|"User:","(?P<dools_user>[^"]+)'
    r'|"Host:","(?P<dools_host>[^"]+)'
    r'|"system_info":\s*"\w+ (?P<iperfs_host>[^\s"]+)'
)
_NO_PERSONS = {"root", "nobody", "user", "key"}


def told(text: str, host: str = "") -> list[str]:
    """Return the addresses, names, users and keys in a text of `host`, if it is one's."""
    people = [match[match.lastgroup] for match in _PERSON.finditer(text)]
    addresses = [match[0] for match in _ADDRESS.finditer(text)]
    return [
        *(one for one in people if one not in _NO_PERSONS and one != host),
        *(one for one in addresses if _is_somebodys(one)),
    ]


def _is_somebodys(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not any(address in network for network in _NOBODYS)


def assert_texts_tell_nothing(texts: Iterable[tuple[object, str]]) -> None:
    """Go over what each file, manifest or record says."""
    assert {name: found for name, text in texts if (found := told(text))} == {}


def assert_archive_tells_nothing(archive: Path) -> None:
    """Go over the raw files of a section."""
    assert {
        name: found for name, text, host in _texts(archive) if (found := told(text, host))
    } == {}


def _texts(archive: Path) -> Iterator[tuple[str, str, str]]:
    """Yield name and text of each file, and whose host it is of."""
    with tarfile.open(archive) as files:
        for entry in files:
            content = files.extractfile(entry)
            if content is not None and not entry.name.endswith(_WITHOUT_TEXT):
                of_host = [*Path(entry.name).parts[2:], ""]  # none of the manifests' transcripts
                yield entry.name, content.read().decode(errors="replace"), of_host[0]
