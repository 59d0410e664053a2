"""Put an import of Cetin's runs beside his own aggregates, `auxiliary/all-summaries`.

    python examples/cetin2018-azure/compare.py CAMPAIGN all-summaries/

He averages seconds whether they had many requests or few, and cuts five seconds from each file;
we weight seconds by requests, and cut the same seconds from all files of a run. Queue lengths of
two middlewares are a mean of his and a sum of ours.
"""

import re
import sys
from pathlib import Path

import pandas as pd

from analysis.tables.loading import load_tables
from records.paths import campaign_dir

FILES = {
    "csb1": ("2.1", {}),
    "csb2": ("2.2", {}),
    "mwb1": ("3.1", {}),
    "mwb2": ("3.2", {}),
    "tpfw": ("4.1", {}),
}
WORKLOADS = {"wo": "set", "ro": "get"}
ROW = re.compile(r"(\d+)\t(\d+)\t([\d.]+) ± [\d.]+\t([\d.]+) ± [\d.]+(?:\t([\d.]+) ± [\d.]+)?")
CLIENT = ("client_throughput_ops_per_s", "client_response_time_ms")
MIDDLEWARE = ("middleware_throughput_ops_per_s", "middleware_response_time_ms")
QUEUE = ("middleware_queue_length", "middleware_queueing_time_ms", "middleware_service_time_ms")


def his_rows(path: Path, section: str, workload: str) -> list[dict[str, object]]:
    """Read one summary: a row for each mean that he measured, not for what he predicted."""
    rows: list[dict[str, object]] = []
    names: tuple[str, ...] = ()
    workers: int | None = None
    for line in path.read_text().splitlines():
        if line.startswith("vcli"):
            found = re.search(r"for tmw: (\d+)", line)
            workers = int(found[1]) if found else None
            is_client = "client meas" in line or "measured on clients" in line or not found
            names = QUEUE if "qlen" in line else CLIENT if is_client else MIDDLEWARE
            names = () if "predictions" in line else names
        elif match := ROW.match(line):
            key = {"section": section, "workload": workload, "workers": workers}
            for name, text in zip(names, match.groups()[2:], strict=False):
                one = {"num_clients": int(match[2]), "measure": name, "his": float(text)}
                rows.append({**key, **one, "digits": len(text.partition(".")[2])})
    return rows


def compared(campaign: str, folder: Path) -> pd.DataFrame:
    """Return every mean of his with ours, and their relative difference."""
    rows: list[dict[str, object]] = []
    for path in sorted(folder.glob("*-summary.txt")):
        experiment, _, load = path.stem.removesuffix("-summary").partition("-")
        if experiment in FILES:
            rows += his_rows(path, FILES[experiment][0], WORKLOADS.get(load, "set"))
    his = pd.DataFrame(rows)
    runs = load_tables(campaign_dir(campaign), *(section for section, _ in FILES.values())).runs
    runs = runs.assign(middleware_queue_length=runs["middleware_queue_length"] / runs[
        "num_middlewares"].clip(lower=1))  # fmt: skip
    key = ["section", "workload", "workers", "num_clients"]
    names = [*CLIENT, *MIDDLEWARE, *QUEUE]
    means = runs.assign(workers=runs["workers"].fillna(0)).groupby(key)[names].mean()
    ours = means.reset_index().melt(key, var_name="measure", value_name="ours")
    his = his.assign(workers=his["workers"].fillna(0))
    beside = his.merge(ours, on=[*key, "measure"], how="left")
    difference = (beside["ours"] - beside["his"]).abs()
    rounding = 0.5 * 10.0 ** -beside["digits"]
    return beside.assign(
        difference=difference / beside["his"].where(beside["his"] > 0),
        within_rounding=difference <= rounding * 1.01,
    )


if __name__ == "__main__":
    table = compared(sys.argv[1], Path(sys.argv[2]))
    table.to_csv(sys.stdout if sys.argv[3:] else "/dev/null", index=False)
    groups = table.groupby("measure")
    print(
        groups.agg(
            means=("his", "size"),
            missing=("ours", lambda ours: ours.isna().sum()),
            within_rounding=("within_rounding", "sum"),
            median=("difference", "median"),
            worst=("difference", "max"),
        ).to_string(float_format=lambda value: f"{value:.5f}")
    )
