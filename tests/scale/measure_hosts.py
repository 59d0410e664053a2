"""What controlling 8, 30 and 100 hosts takes of this machine: `make many`.

Runs of little load on labs of so many hosts, all on this machine. They are kept in hosts.csv, the
table goes into docs/own-hosts.md, the figure beside it.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.drawing import draw_svg
from analysis.figures.theme import BLUE, TEMPLATE
from analysis.statistics.intervals import half_width_of_mean
from records.paths import PROJECT
from tests.helpers.many_hosts import COUNTS, Taken, find_lab, measured

RESULTS = Path(__file__).with_name("hosts.csv")
DOCUMENT = PROJECT / "docs" / "own-hosts.md"
FIGURE = PROJECT / "docs" / "figures" / "controller-cpu.svg"
BEGIN, END = "<!-- table of make many -->\n", "<!-- end of table -->"
SHOWN = """\
![CPU time of the controller against the number of hosts](figures/controller-cpu.svg)

Error bars are 95 % confidence intervals of the mean."""
REPETITIONS = 3
COLUMNS = {
    "hosts": ("hosts", "{:.0f}"),
    "up_s": ("up, s", "{:.1f}"),
    "starting_s": ("start of a run, s", "{:.1f}"),
    "waiting_s": ("of it after the last host is ready, s", "{:.1f}"),
    "fetching_s": ("fetched after, s", "{:.2f}"),
    "cpu_s": ("controller's CPU, s a run", "{:.2f}"),
    "cpu_per_host_ms": ("ms a run and host", "{:.0f}"),
    "peak_memory_mib": ("its memory, MiB", "{:.0f}"),
}


def measure(hosts: int, repetitions: int) -> pd.DataFrame:
    """Measure runs with so many hosts; the first starts what the others find running.

    Returns
    -------
    A row a run but for the first, columns as `Taken` has them, and how long the lab took to be up,
    `up_s`.
    """
    with TemporaryDirectory() as folder, find_lab(hosts) as up_s:
        print(f"{hosts} hosts are up after {up_s:.1f} s", flush=True)
        manifests = measured(hosts, Path(folder), repetitions=repetitions + 1)
    runs = pd.DataFrame([vars(Taken.of(manifest)) for manifest in manifests[1:]])
    return runs.assign(up_s=up_s)


def with_shares(runs: pd.DataFrame) -> pd.DataFrame:
    """Add what a host takes of the controller's CPU in a run, `cpu_per_host_ms`."""
    return runs.assign(cpu_per_host_ms=1000 * runs["cpu_s"] / runs["hosts"])


def table(runs: pd.DataFrame) -> str:
    """Return means by number of hosts in Markdown; of the memory the largest."""
    by_hosts = with_shares(runs).groupby("hosts")
    means = by_hosts.mean().assign(peak_memory_mib=by_hosts["peak_memory_mib"].max()).reset_index()
    heads = [heading for heading, _ in COLUMNS.values()]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in means.to_dict("records"):
        cells = [form.format(row[name]) for name, (_, form) in COLUMNS.items()]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def plot(runs: pd.DataFrame) -> go.Figure:
    """Plot CPU time of the controller per run, and per run and host, against hosts: 95 % CIs."""
    titles = {"cpu_s": "CPU (s per run)", "cpu_per_host_ms": "CPU (ms per run and host)"}
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.12)
    figure.update_layout(template=TEMPLATE, showlegend=False)
    by_hosts = with_shares(runs).groupby("hosts")
    for column, (measured_, title) in enumerate(titles.items(), start=1):
        values = by_hosts[measured_]
        means = values.mean()
        trace = go.Scatter(
            x=means.index,
            y=means,
            error_y={"type": "data", "array": half_width_of_mean(values.std(), values.count())},
            mode="lines+markers",
            marker={"symbol": "circle", "color": BLUE},
        )
        figure.add_trace(trace, row=1, col=column)
        figure.update_yaxes(title_text=title, rangemode="tozero", row=1, col=column)
    return figure.update_xaxes(title_text="Hosts", rangemode="tozero")


def publish(runs: pd.DataFrame) -> None:
    """Write table and figure."""
    before, rest = DOCUMENT.read_text().split(BEGIN)
    shown = f"{table(runs)}\n\n{SHOWN}"
    DOCUMENT.write_text(f"{before}{BEGIN}\n{shown}\n\n{END}{rest.split(END)[1]}")
    svg = draw_svg(plot(runs).to_plotly_json(), width_px=860, height_px=320)
    FIGURE.write_text(f"{svg}\n", encoding="utf-8")


def main() -> int:
    """Measure, keep the runs beside those with other numbers of hosts, and publish all of them."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--hosts", type=int, nargs="+", choices=COUNTS, default=list(COUNTS))
    arguments.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = arguments.parse_args()
    for hosts in options.hosts:
        new = measure(hosts, options.repetitions)
        print(new.to_string(), flush=True)
        known = pd.read_csv(RESULTS) if RESULTS.exists() else new
        kept = known[known["hosts"] != hosts]
        pd.concat([kept, new]).sort_values("hosts", kind="stable").to_csv(
            RESULTS, index=False, float_format="%.3f"
        )
    publish(pd.read_csv(RESULTS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
