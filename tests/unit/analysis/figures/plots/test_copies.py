import pandas as pd

from analysis.figures.plots import plot_request_shares
from analysis.figures.plots.copies import plot_by_workers


def test_shares_count_the_runs_of_all_series():
    rows = [(copies, server, 1.0, 3) for copies in (1, 2) for server in ("s1", "s2")]
    columns = ["replicas", "server", "requests", "share_repetitions"]
    assert plot_request_shares(pd.DataFrame(rows, columns=columns)).layout.meta == {"runs": 6}


def test_copies_stand_beside_each_other_at_their_number_of_workers():
    rows = [(workers, copies) for copies in (1, 3) for workers in (8, 64)]
    cells = pd.DataFrame(rows, columns=["workers", "replicas"]).assign(num_clients=192)
    column = "client_throughput_ops_per_s"
    for kind in ("mean", "ci_low", "ci_high"):
        cells[f"{column}_{kind}"] = 100.0
    figure = plot_by_workers(cells.assign(**{f"{column}_repetitions": 3}), "throughput_ops_per_s")
    assert [list(trace.x) for trace in figure.data] == [["8", "64"]] * 2
    assert figure.layout.xaxis.categoryarray == ("8", "64")  # not in the order of letters
    assert figure.layout.scattermode == "group"
    assert len({trace.offsetgroup for trace in figure.data}) == 2
    assert figure.layout.meta == {"runs": 12}
    assert figure.layout.yaxis.title.text == "Throughput (op/s)"
