"""Below which time dilation the machine that carries a lab becomes the limit instead of the lab."""

from collections.abc import Iterable

import pandas as pd

from analysis.models.prediction import what_if
from analysis.models.system import MACHINE, System

CPU_TIMES = ("machine_time", "net_thread_time", "worker_time", "server_time")
_COLUMNS = [
    "time_dilation",
    "machine_saturation_ops_per_s",
    "throughput_ops_per_s",
    "client_response_time_ms",
    "bottleneck",
]


def dilation_table(
    system: System, num_clients: int, *, measured_at: float, dilations: Iterable[float]
) -> pd.DataFrame:
    r"""Predict what a lab would reach at other time dilations.

    A request takes the same CPU time of the clock whatever the dilation k, so that in undilated
    time it is

    .. math:: D(k) = D(k_0) \, k_0 / k

    while links and delays stay the same: the smaller k is, the slower the machine looks.

    Parameters
    ----------
    system
        With a shared machine (`analysis.models.measured_system`), in undilated time.
    num_clients
        N >= 1.
    measured_at
        :math:`k_0` > 0, of the runs that the demands come from.
    dilations
        k > 0.

    Returns
    -------
    pandas.DataFrame
        One row per dilation: `time_dilation`, `machine_saturation_ops_per_s` (its cores over the
        demand), `throughput_ops_per_s`, `client_response_time_ms` and `bottleneck`, undilated;
        empty where no machine is shared.

    Raises
    ------
    ValueError
        A dilation is not above 0.
    """
    factors = list(dilations)
    if not all(k > 0 for k in (measured_at, *factors)):
        raise ValueError(f"time dilations must be > 0, got {measured_at} and {factors}")
    if not system.machine_time:
        return pd.DataFrame(columns=_COLUMNS)
    changes = {
        f"k = {k:g}": {name: getattr(system, name) * measured_at / k for name in CPU_TIMES}
        for k in factors
    }
    table = what_if(system, num_clients, changes).iloc[1:].reset_index(drop=True)
    demand = system.demands()[MACHINE] * measured_at
    table.insert(0, "time_dilation", factors)
    table.insert(1, "machine_saturation_ops_per_s", [k / demand for k in factors])
    return table[_COLUMNS]
