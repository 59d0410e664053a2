"""What one run tells about hosts and links: CPU, traffic, round-trip times, bandwidths."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from analysis.results import ParseError
from analysis.statistics.loads.round_trips import emulated_rtt_ms, farther_ms
from analysis.tables.run import Run
from analysis.units import bytes_per_s_to_mbit_per_s
from records.manifest_entries import Topology


def host_measures(run: Run) -> pd.DataFrame:
    """Load of every host: `host`, `role`, `shares_machine`, CPU, link both ways, packets."""
    rates = run.manifest.topology.rates_mbit_per_s
    quotas = run.manifest.topology.cpu_quotas
    busy, apart = _busy_percents(run), _own_processors(run)
    rows = []
    for role, hosts in run.manifest.roles.by_name.items():
        for host in hosts:
            if host in run.loads:
                load = _load(run, host)
                send = bytes_per_s_to_mbit_per_s(float(load["net_send_bytes_per_s"].mean()))
                rows.append(
                    {
                        "host": host,
                        "role": role,
                        "shares_machine": run.on_one_machine,
                        "cpu_percent": busy[host],
                        "cpu_user_percent": load["cpu_user_percent"].mean(),
                        "cpu_system_percent": load["cpu_system_percent"].mean(),
                        **_soft_interrupts(load),
                        "cpu_steal_percent": load["cpu_steal_percent"].mean(),
                        "send_mbit_per_s": send,
                        "receive_mbit_per_s": bytes_per_s_to_mbit_per_s(
                            float(load["net_receive_bytes_per_s"].mean())
                        ),
                        "rate_mbit_per_s": rates.get(host) or np.nan,
                        **({"cpu_quota": quotas.get(host, np.nan)} if quotas else {}),
                        **({"own_processors": host in apart} if apart else {}),
                        **_cpu_time(run, host, quotas.get(host, np.inf)),
                        **_counted(run, host),
                    }
                )
    return pd.DataFrame(rows)


def _soft_interrupts(load: pd.DataFrame) -> dict[str, float]:
    """Return what soft interrupts took; nothing of a recording that counts them as user time."""
    name = "cpu_softirq_percent"
    return {name: load[name].mean()} if name in load else {}


def _cpu_time(run: Run, host: str, quota: float) -> dict[str, float]:
    """CPU time that the host itself used in the window; unknown where it shares a machine's."""
    used = _used_cpus(run, host)
    if np.isnan(used):
        return {"cpu_s": np.nan, "cpu_utilization": np.nan}
    may_use = min(run.cpu_times[host].cores, quota / run.manifest.topology.time_dilation)
    return {"cpu_s": used * run.manifest.stable.stable_s, "cpu_utilization": used / may_use}


def _used_cpus(run: Run, host: str) -> float:
    """Return how many CPUs a host itself used on average; NaN where it shares a machine's count."""
    known = run.cpu_times.get(host)
    if known is None or (known.of_machine and run.on_one_machine):
        return np.nan
    window = run.manifest.stable
    reach_s = 1  # readings come once a second; the share is that of the time between two of them
    try:
        used_s, elapsed_s = known.used_s(
            window.start_epoch_s - reach_s, window.end_epoch_s + reach_s
        )
    except ValueError as exc:
        raise ParseError(run.folder / host / "cpu-time.out.gz", None, str(exc)) from exc
    return used_s / elapsed_s


def _own_processors(run: Run) -> set[str]:
    """Return the hosts of a run on whose processors no other host of the machine ran."""
    roles = run.manifest.topology.own_processors.split()
    return {host for role in roles for host in run.manifest.roles.by_name.get(role, ())}


def _busy_percents(run: Run) -> dict[str, float]:
    """Return how busy the processors were that each host may use, in percent; NaN if not known.

    A monitor tells all processors of a machine together. Where some hosts have processors of their
    own, what those hosts used is taken from that: processors that all others share may be full
    while the machine is not.
    """
    told = {host: _of_monitor(run, host) for host in run.loads}
    if not run.manifest.topology.own_processors:
        return told
    apart = _own_processors(run)
    num_apart, num_others = (_num_cpus(run, hosts) for hosts in (apart, run.loads.keys() - apart))
    used = 100 * sum(_used_cpus(run, host) for host in apart)
    together = num_apart + num_others
    return {
        host: used / num_apart
        if host in apart
        else float(np.clip((percent * together - used) / num_others, 0, 100))
        for host, percent in told.items()
    }


def _num_cpus(run: Run, hosts: Collection[str]) -> float:
    """Return how many processors hosts share; NaN of no host that tells."""
    cores = {run.cpu_times[host].cores for host in hosts if host in run.cpu_times}
    return float(cores.pop()) if len(cores) == 1 else np.nan


def _load(run: Run, host: str) -> pd.DataFrame:
    return run.in_window(run.loads[host], offset_s=0.5)  # a row covers the second before


def _of_monitor(run: Run, host: str) -> float:
    load = _load(run, host)
    return float((100 - load["cpu_idle_percent"] - load["cpu_wait_percent"]).mean())


def _counted(run: Run, host: str) -> dict[str, float]:
    """Return what the host's network interfaces counted over the whole run, all together."""
    counted = run.interfaces.get(host)
    names = [f"{way}_{what}" for way in ("send", "receive") for what in ("bytes", "packets")]
    names += ["send_drops", "receive_drops"]
    return {name: np.nan if counted is None else float(counted[name].sum()) for name in names}


def ping_measures(run: Run) -> pd.DataFrame:
    """Round-trip times: ends and roles, replies, lost, distribution, what is emulated and added.

    Beside a load they are those of the stable window, of the whole run where replies have no time
    of day; lost are those of the whole run.
    """
    roles, topology = _roles(run), run.manifest.topology
    rows = []
    for (source, target), ping in run.pings.items():
        is_stamped = ping.replies["epoch_s"].notna().any()
        replies = run.in_window(ping.replies) if run.generators and is_stamped else ping.replies
        times = replies["round_trip_time_ms"]
        lost = np.nan if ping.transmitted is None else ping.transmitted - len(ping.replies)
        rows.append(
            {
                "source": source,
                "target": target,
                "source_role": roles.get(source),
                "target_role": roles.get(target),
                "replies": len(times),
                "lost": lost,
                "round_trip_time_min_ms": times.min(),
                "round_trip_time_mean_ms": times.mean(),
                "round_trip_time_p50_ms": times.quantile(0.5),
                "round_trip_time_p99_ms": times.quantile(0.99),
                "round_trip_time_max_ms": times.max(),
                "emulated_round_trip_time_ms": emulated_rtt_ms(topology, source, target) or np.nan,
                "line_round_trip_time_ms": _of_delay_line(topology, source, target),
            }
        )
    return pd.DataFrame(rows)


def _of_delay_line(topology: Topology, *ends: str) -> float:
    """Round trip of the clock that a calibrated delay line adds; NaN of any other."""
    if not topology.calibration:
        return float("nan")
    beyond_ms = farther_ms(topology, *ends) * topology.time_dilation
    return float(topology.calibration["line_rtt_ms"]) + beyond_ms


def bandwidth_measures(run: Run) -> pd.DataFrame:
    """Bandwidths: `source`, `target`, their roles, what arrived, the limit, and retransmits."""
    roles = _roles(run)
    rates = run.manifest.topology.rates_mbit_per_s
    return pd.DataFrame(
        [
            {
                "source": source,
                "target": target,
                "source_role": roles[source],
                "target_role": roles[target],
                "bandwidth_mbit_per_s": iperf.bandwidth_mbit_per_s,
                "limit_mbit_per_s": rates.get(source) or np.nan,
                "retransmits": iperf.retransmits,
            }
            for (source, target), iperf in run.bandwidths.items()
        ]
    )


def _roles(run: Run) -> dict[str, str]:
    """Host to its role."""
    return {host: role for role, hosts in run.manifest.roles.by_name.items() for host in hosts}
