"""Stand-ins for what texts tell of people and of their machines: pure.

A host's address becomes one that is kept for documentation (RFC 5737, RFC 3849), the same wherever
it stands, so that files fit together as before; the name of a machine becomes that of the host in
the campaign; users, their folders and keys become words. What nobody is known by stays: loopback,
addresses for documentation and those for benchmarks (RFC 2544), which the local lab has.
"""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial

ADDRESSES, MACHINES, FOLDERS, USERS, KEYS = "addresses", "machines", "folders", "users", "keys"
OF_THE_LAB = ipaddress.ip_network("198.18.0.0/15")
USER, LEFT_OUT = "user", "left-out"
_NOBODYS = [
    OF_THE_LAB,
    *map(ipaddress.ip_network, ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3", "::/127", "ff00::/8")),
    *map(ipaddress.ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")),
    ipaddress.ip_network("2001:db8::/32"),
]
_ROLES = {  # to where their stand-ins begin; others' count down from the last one
    "clients": ("192.0.2.{}", "2001:db8::1:{}", 0),
    "servers": ("198.51.100.{}", "2001:db8::2:{}", 0),
    "databases": ("198.51.100.{}", "2001:db8::3:{}", 128),
    "middlewares": ("203.0.113.{}", "2001:db8::4:{}", 0),
}
_OTHERS = ("203.0.113.{}", "2001:db8::5:{}", 254)
_NO_PERSONS = {"root", "nobody", USER}

_ADDRESS = re.compile(
    r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?!\d|\.\d)"
    r"|(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])"
)
_HOME = re.compile(r"(?<![\w./-])(/(?:home|Users)/)([\w.@+-]+)")
_KEY_FILE = re.compile(r"(/\.ssh/)(?!known_hosts\b|config\b)([\w.@+-]+)")
_FINGERPRINT = re.compile(r"(SHA256:)([A-Za-z0-9+/]{43})")
_PUBLIC_KEY = re.compile(r"(?<![\w-])((?:ssh|ecdsa)-[\w-]{1,60} )(AAAA[\w+/=]+(?: [\w.@-]+)?)")
_LOGIN = re.compile(r"()(?<![\w.+/@-])([\w.+-]+)(?=@[\w\[])")
_REFUSED = re.compile(r"(\buser )([\w.+-]+)(?= was refused)")
_DOOLS_HOST = re.compile(r'("Host:",")([^"]*)')
_DOOLS_USER = re.compile(r'("User:",")([^"]*)')
_IPERFS_HOST = re.compile(r'("system_info":\s*"\w+ )([^\s"]+)')


class StandIns:
    """Stand-ins of one campaign.

    Parameters
    ----------
    places : each host's role, and its place among the hosts of that role, from 1.
    known : addresses of hosts, also as names, to the host.
    folders : working directories.

    Attributes
    ----------
    found : what was found, by kind, to what stands in its place.
    """

    def __init__(
        self,
        places: Mapping[str, tuple[str, int]],
        known: Mapping[str, str],
        folders: frozenset[str] = frozenset(),
    ) -> None:
        self.found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.has_lab_addresses = False
        self._places = places
        self._known = {str(_as_address(name) or name): host for name, host in known.items()}
        self._others = 0
        names = {name: host for name, host in known.items() if _is_long_name(name)}
        words = {**{folder: "/work" for folder in folders}, **names}
        self._words = {word: stand_in for word, stand_in in words.items() if word != stand_in}
        longest_first = sorted(map(re.escape, self._words), key=len, reverse=True)
        self._word = re.compile(rf"(?<![\w./-])(?:{'|'.join(longest_first)})(?![\w-]|\.\w)")

    def text(self, text: str, host: str = "") -> str:
        """Return a text of `host`, if it is one's, with stand-ins."""
        if self._words:
            text = self._word.sub(self._of_word, text)
        rules: tuple[tuple[re.Pattern[str], str, str], ...] = (
            (_FINGERPRINT, KEYS, LEFT_OUT),
            (_PUBLIC_KEY, KEYS, LEFT_OUT),
            (_KEY_FILE, KEYS, "key"),
            (_HOME, USERS, USER),
            (_LOGIN, USERS, USER),
            (_REFUSED, USERS, USER),
            (_DOOLS_USER, USERS, USER),
            (_DOOLS_HOST, MACHINES, host),
            (_IPERFS_HOST, MACHINES, host),
        )
        for pattern, kind, stand_in in rules:
            replace: Callable[[re.Match[str]], str] = partial(self._named, kind, stand_in)
            text = pattern.sub(replace, text)
        return _ADDRESS.sub(lambda match: self.address(match[0]), text)

    def address(self, text: str) -> str:
        """Return what stands in the place of an address; what is none, or nobody's, stays."""
        address = _as_address(text)
        if address is None or any(address in network for network in _NOBODYS):
            self.has_lab_addresses |= address is not None and address in OF_THE_LAB
            return text
        known = self.found[ADDRESSES].get(str(address))
        return known or self.remember(ADDRESSES, str(address), self._address(address))

    def remember(self, kind: str, original: str, stand_in: str) -> str:
        """Note what stands in the place of something, and return it."""
        if original != stand_in:
            self.found[kind][original] = stand_in
        return stand_in

    def _address(self, address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
        role, place = self._places.get(self._known.get(str(address), ""), ("", 0))
        v4, v6, first = _ROLES.get(role, _OTHERS)
        if role not in _ROLES:
            place = -self._others
            self._others += 1
        return v4.format(first + place) if address.version == 4 else v6.format(first + place)

    def _of_word(self, match: re.Match[str]) -> str:
        kind = FOLDERS if match[0].startswith("/") else MACHINES
        return self.remember(kind, match[0], self._words[match[0]])

    def _named(self, kind: str, stand_in: str, match: re.Match[str]) -> str:
        original = match[2]
        if original in _NO_PERSONS or original == stand_in:
            return match[0]
        return match[1] + self.remember(kind, original, stand_in)


def _is_long_name(name: str) -> bool:
    """Tell a name that only a machine has; `get` may be one, too, and stand anywhere."""
    return _as_address(name) is None and re.search(r"[.\d-]", name) is not None


def _as_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
