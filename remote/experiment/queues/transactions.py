"""Transactions that are left open on purpose: when, and what is kept of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from records.manifest_entries import Pause
from records.settings import Settings
from remote.experiment.section import Section
from remote.hosts.host import Host
from remote.services.memcached import parse_spans
from remote.services.postgresql import OPENED

KIND = "open transaction"
BEFORE = 1 / 6  # of the stable window, so that its throughput is known
ROOM = 1.5  # times as long as the transaction the stable window is, at least


def mistakes(section: Section, settings: Sequence[Settings]) -> Sequence[str]:
    """Say which transactions do not fit into the section's stable window: pure."""
    longest_s = max((one.open_transaction_s or 0.0 for one in settings), default=0.0)
    if not longest_s:
        return ()
    if section.durations is None:
        return (
            "open_transaction_s: a run in which a transaction is left open needs stable_s, as it "
            "begins after a sixth of the stable window; leave precision out",
        )
    if section.durations.stable_s < ROOM * longest_s:
        return (
            f"open_transaction_s: a transaction of {longest_s:g} s needs a stable window of "
            f"{ROOM * longest_s:g} s at least, to see before and after it; got "
            f"{section.durations.stable_s:g} s",
        )
    return ()


def left_open(
    settings: Settings, *, window_epoch_s: float, stable_s: float, time_dilation: float
) -> tuple[float, float] | None:
    """Return when the transaction of a run begins and ends in epoch seconds, None if there is none.

    `window_epoch_s` is when the stable window begins, `stable_s` its length by the clock.
    """
    if not settings.open_transaction_s:
        return None
    begins_s = window_epoch_s + BEFORE * stable_s
    return begins_s, begins_s + settings.open_transaction_s * time_dilation


def opened(files: Mapping[str, bytes], hosts: Sequence[Host]) -> list[Pause]:
    """Return when transactions really were open, by the clocks of their own hosts.

    The fetched file of a host holds two epoch seconds: when it began and ended.
    """
    found: list[Pause] = []
    for host in hosts:
        text = files.get(f"{host.name}/{OPENED}.out", b"").decode(errors="replace")
        for began_s, ended_s in parse_spans(" ".join(text.split())):
            found.append(
                Pause(host=host.name, kind=KIND, began_epoch_s=began_s, ended_epoch_s=ended_s)
            )
    return found
