"""What one link explains: the read-only cells of all studies by simulation."""

import numpy as np
import pandas as pd

from analysis.models import SimulationOptions, System, message_bytes, simulate
from analysis.studies.names import cell_name
from analysis.studies.printed import published_summary, published_table
from analysis.studies.rederived_designs import FACTORS, rebuild_cells
from analysis.studies.rederived_laws import number_of_clients
from analysis.studies.rederived_variation import cetin_read_cells
from analysis.studies.rows import NETWORK, rows_of
from analysis.units import MS_PER_S

REPLIES_PER_S = 2954  # Schmid's table 2: one server, no middleware
PINGS_MS = (0.6, 0.8)  # Yenicelik's, there and back
NETWORK_DELAY_S = sum(PINGS_MS) / 4 / MS_PER_S
TOLERANCE = 0.05
_LESS = "less than three times one server"
_DELAY = "few workers, another delay"
_FULL = 0.99  # of what the links carry: below it workers and the delay decide


def read_only_cells(options: SimulationOptions | None = None) -> pd.DataFrame:
    """Simulate every read-only cell that a study printed, with two constants for all.

    They are what a server's link sends, from Schmid's baseline without middleware, and the delay
    of the network, which matters only where few workers stand before three servers. Processors
    take no time.

    The table is that of all re-derivations, with `servers`; values agree within 5 %, which is what
    the studies' own baselines differ by.
    """
    options = options or SimulationOptions(warm_up_s=1, duration_s=3)
    basis = f"simulation, server links of {REPLIES_PER_S} replies/s"
    parts = []
    for study, table, cells in [*_sections(), *_designs()]:
        simulated = _simulate(cells, options)
        remark = pd.Series("", cells.index)
        off = (cells["published"] - simulated).abs() > TOLERANCE * simulated
        links_full = simulated >= _FULL * cells["servers"] * REPLIES_PER_S
        remark[off] = np.where(links_full[off], _LESS, _DELAY)
        rows = rows_of(
            study, NETWORK, table, "throughput of gets", cells["published"], simulated,
            TOLERANCE * simulated, basis, remark, within=f"{100 * TOLERANCE:g} %",
        )  # fmt: skip
        parts.append(rows.assign(servers=cells["servers"].to_numpy()))
    return pd.concat(parts, ignore_index=True)


def _simulate(cells: pd.DataFrame, options: SimulationOptions) -> pd.Series:
    sizes = message_bytes("get")
    throughputs = [
        simulate(
            System(
                client_machines=cell["client_machines"],
                middlewares=cell["middlewares"],
                servers=cell["servers"],
                workers=cell["workers"],
                request_bytes=sizes["request_bytes"],
                reply_bytes=sizes["reply_bytes"],
                server_link_rate=REPLIES_PER_S * 8 * sizes["reply_bytes"],
                network_delay=NETWORK_DELAY_S,
            ),
            cell["num_clients"],
            options=options,
        ).measures.loc["throughput_ops_per_s", "mean"]
        for cell in cells.to_dict("records")
    ]
    return pd.Series(throughputs, cells.index)


def _sections() -> list[tuple[str, str, pd.DataFrame]]:
    """Baselines without middleware and with 64 workers, of each study."""
    hosts = {"2.1": (0, 1), "2.2": (0, 2), "3.1": (1, 1), "3.2": (2, 1)}
    found = []
    for section, (middlewares, servers) in hosts.items():
        summary = published_summary(section)
        reads = summary.query("workload == 'get' and measured_on == 'clients'")
        for study, rows in reads.groupby("study"):
            cells = pd.DataFrame(
                {
                    "client_machines": 1 if section == "2.2" else 3,
                    "servers": servers,
                    "middlewares": middlewares,
                    "workers": 64,
                    "num_clients": number_of_clients(rows),
                    "published": rows["throughput_ops_per_s"],
                }
            )
            named = cells.set_axis([cell_name(servers, middlewares, 64)])
            found.append((str(study), f"section {section}", named))
    return found


def _designs() -> list[tuple[str, str, pd.DataFrame]]:
    """Cells of the three printed 2^3 designs, eight each, with 192 clients."""
    raw = published_table("yenicelik2018", "t09_raw_read_throughput")
    yenicelik = pd.DataFrame(
        {
            "servers": raw["Y"].map({-1: 1, 1: 3}),
            "middlewares": raw["X"].map({-1: 1, 1: 2}),
            "workers": raw["Z"].map({-1: 8, 1: 32}),
            "published": raw["mean"],
        }
    )
    cetin = cetin_read_cells().rename(columns={"throughput": "published"})
    for factor, levels in (("servers", (1, 3)), ("middlewares", (1, 2)), ("workers", (8, 32))):
        cetin[factor] = cetin[factor].map(dict(zip((-1, 1), levels, strict=True)))
    designs = [
        ("cetin2018", "t08_addi_read_throughput", cetin),
        ("schmid2018", "t08_2k4_read", rebuild_cells("t08_2k4_read", "throughput")),
        ("yenicelik2018", "t09_raw_read_throughput", yenicelik),
    ]
    return [(study, table, _named(cells)) for study, table, cells in designs]


def _named(cells: pd.DataFrame) -> pd.DataFrame:
    names = [cell_name(*levels) for levels in cells[FACTORS].to_numpy()]
    return cells.assign(num_clients=192, client_machines=3).set_axis(names)
