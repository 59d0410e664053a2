"""What `lab status` prints."""

from __future__ import annotations

from collections.abc import Sequence

from tabulate import tabulate

from remote.providers.local_lab.status import HostStatus, SwitchStatus

_HEADERS = ("host", "address", "Mbit/s", "CPU s", "sshd", "state")
_ALIGNMENT = ("left", "left", "right", "right", "right", "left")


def status_text(hosts: Sequence[HostStatus], switch: SwitchStatus) -> str:
    """Show the lab's hosts and its network; rates, quotas and delays are the topology's."""
    rows = [
        (
            host.name,
            host.address,
            "-" if host.rate_mbit_per_s is None else f"{host.rate_mbit_per_s:g}",
            _seconds(host.cpu_s),
            host.pid or "-",
            "up" if host.is_up else "DOWN",
        )
        for host in hosts
    ]
    table = tabulate(rows, headers=_HEADERS, disable_numparse=True, colalign=_ALIGNMENT)
    return "\n".join([table, "", *_processors(hosts), *_network(switch)])


def _processors(hosts: Sequence[HostStatus]) -> list[str]:
    limited = [
        f"{host.name} {'all' if host.cpu_quota is None else f'{host.cpu_quota:g}'}"
        f"{' of its own' if host.own_processors else ''}"
        for host in hosts
        if host.cpu_quota is not None or host.own_processors
    ]
    return [f"processors, undilated: {', '.join(limited)}"] if limited else []


def _network(switch: SwitchStatus) -> list[str]:
    if switch.is_hidden:
        return ["its rates and delays are hidden: they are to be measured", *_line(switch)]
    k, rtt_ms = switch.time_dilation, switch.rtt_ms
    line = f"round trip {rtt_ms:g} ms by {switch.delay}" if rtt_ms else "no delay"
    if k != 1:
        line += f", time dilation {k:g}: rates are divided by it"
        line += f", clients see {rtt_ms * k:g} ms" if rtt_ms else ""
    lines = [line]
    if switch.own_rtt_ms:
        farther = (f"{name} {own_ms:g} ms" for name, own_ms in switch.own_rtt_ms.items())
        lines.append(f"farther away, undilated: {', '.join(farther)}")
    if rtt_ms:
        lines.append(_calibration(switch))
    return [*lines, *_line(switch)]


def _line(switch: SwitchStatus) -> list[str]:
    if switch.counters is None:
        return []
    counters = switch.counters
    state = "up" if switch.is_up else "DOWN: nothing passes, build the lab anew with `lab up`"
    return [
        f"delay line {state}: {counters.frames} frames, {counters.lost} lost, "
        f"{counters.refused} refused, {_seconds(switch.cpu_s)} s of CPU"
    ]


def _calibration(switch: SwitchStatus) -> str:
    delayed = f"packets are delayed by {switch.line_rtt_ms:.3f} ms a round trip"
    if switch.wake_up_ms is None:
        return f"{delayed}; not calibrated: `lab calibrate`"
    return f"{delayed}, the machine's own wake-ups take {switch.wake_up_ms:.3f} ms"


def _seconds(cpu_s: float | None) -> str:
    return "-" if cpu_s is None else f"{cpu_s:.2f}"
