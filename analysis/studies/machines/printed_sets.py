"""Throughput of sets of 4 KiB as three studies printed it, each cell with the system it is of."""

import numpy as np
import pandas as pd

from analysis.studies.printed import published_summary, published_table, published_workers
from analysis.studies.rederived_designs import (
    FACTORS,
    SCHMIDS_CLIENTS,
    rebuild_cells,
    yenicelik_runs,
)
from analysis.studies.rederived_laws import STEP, number_of_clients
from analysis.studies.rederived_variation import cetin_runs

STUDIES = ("schmid2018", "yenicelik2018", "cetin2018")
DESIGN, SAME, OTHER = "the design", "its systems, other loads", "other systems"
_SECTIONS = {"2.1": (3, 0, 1, 0), "2.2": (1, 0, 2, 0), "3.1": (3, 1, 1, 64), "3.2": (3, 2, 1, 64)}
_SYSTEM = ["client_machines", "middlewares", "servers", "workers"]
_FULL = (3, 2, 3)  # client machines, middlewares, servers of section 4


def set_cells() -> pd.DataFrame:
    """Collect the cells of sections 2 to 4 and of the 2^3 designs.

    Columns: `study`, `place`, `client_machines`, `middlewares`, `servers`, `workers` (of each
    middleware), `num_clients`, `published` (op/s at the clients, or at the middlewares where a
    study tells no more), `relative_error` (standard error over the mean; NaN where none is
    printed),
    `part` (`DESIGN`; `SAME` for a system of the study's design in another place, which is under
    another load; else `OTHER`).
    """
    parts = [_of_sections(), _of_workers(), *_of_full_systems(), *_of_designs()]
    cells = pd.concat(parts, ignore_index=True).astype({"num_clients": int})
    systems = pd.Series(list(cells[["study", *_SYSTEM[1:]]].itertuples(index=False, name=None)))
    designed = cells["place"] == DESIGN
    same = systems.isin(systems[designed])
    return cells.assign(part=np.select([designed, same], [DESIGN, SAME], OTHER))


def _of_sections() -> pd.DataFrame:
    parts = []
    for section, system in _SECTIONS.items():
        summary = published_summary(section).query("workload == 'set' and measured_on == 'clients'")
        for _, rows in summary.groupby("study"):
            own = pd.DataFrame(
                {
                    "study": rows["study"],
                    "place": f"section {section}",
                    "num_clients": number_of_clients(rows),
                    "published": rows["throughput_ops_per_s"],
                    "relative_error": _error(rows),
                }
            )
            parts.append(own.assign(**dict(zip(_SYSTEM, system, strict=True))))
    return pd.concat(parts)


def _error(rows: pd.DataFrame) -> pd.Series:
    """Return the standard error over the mean; Cetin's three repetitions are taken for four."""
    return rows["throughput_sd_ops_per_s"] / 2 / rows["throughput_ops_per_s"]


def _of_workers() -> pd.DataFrame:
    """Schmid's table 3, without its line of 64 workers, which is the table of section 3.1, too."""
    table = published_workers().query("workers != 64")
    return pd.DataFrame(
        {
            "study": table["study"],
            "place": "table 3",
            "client_machines": 3,
            "middlewares": 1,
            "servers": 1,
            "workers": table["workers"],
            "num_clients": table["num_clients"],
            "published": table["throughput_ops_per_s"],
            "relative_error": _error(table),
        }
    )


def _of_full_systems() -> list[pd.DataFrame]:
    machines, middlewares, servers = _FULL
    found = []
    for study, name, clients in (
        ("schmid2018", "t06_full_system", "n_uc"),
        ("yenicelik2018", "s4_2_full_system", "virtual_clients_per_thread"),
        ("cetin2018", "t05_full_system", "saturation_clients"),
    ):
        table = published_table(study, name)
        sd = table["x_client_sd"] if "x_client_sd" in table else float("nan")
        own = pd.DataFrame(
            {
                "study": study,
                "place": "section 4",
                "workers": table["workers_per_middleware"],
                "num_clients": table[clients] * (STEP if clients.startswith("virtual") else 1),
                "published": table["x_client_ops_s"],
                "relative_error": sd / 2 / table["x_client_ops_s"],
            }
        )
        found.append(own.assign(client_machines=machines, middlewares=middlewares, servers=servers))
    return found


def _of_designs() -> list[pd.DataFrame]:
    yenicelik = yenicelik_runs("t11_raw_write_throughput").rename(
        columns={"X": "middlewares", "Y": "servers", "Z": "workers", "value": "throughput"}
    )
    cells = {"schmid2018": rebuild_cells("t07_2k4_write", "throughput")}
    for study, runs in (("yenicelik2018", yenicelik), ("cetin2018", cetin_runs())):
        means = runs.groupby(FACTORS)["throughput"].agg(["mean", "sem"]).reset_index()
        for factor, largest in (("servers", 3), ("middlewares", 2), ("workers", 32)):
            least = 8 if factor == "workers" else 1
            means[factor] = np.where(means[factor] < 0, least, largest)
        means["relative_error"] = means["sem"] / means["mean"]
        cells[study] = means.rename(columns={"mean": "published"}).drop(columns="sem")
    return [
        own.assign(study=study, place=DESIGN, client_machines=3, num_clients=SCHMIDS_CLIENTS)
        for study, own in cells.items()
    ]
