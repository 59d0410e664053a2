from dataclasses import astuple, replace

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.published_results.machines import cells_near
from analysis.studies.machines.fit import Fit, fit, judged
from analysis.studies.machines.five_numbers import Machines, throughputs
from analysis.studies.machines.printed_sets import DESIGN, OTHER, SAME, STUDIES, set_cells
from analysis.studies.printed import study_name

PLANTED = Machines(
    alone_per_s=2500, exponent=0.35, middleware_s=40e-6, forwarding_s=15e-6, slowest=1.25
)
SYSTEM = ["middlewares", "servers", "workers"]
CELL = {
    "client_machines": 3, "middlewares": 1, "servers": 1, "workers": 8, "num_clients": 192,
}  # fmt: skip


def throughput(machines: Machines, cell: dict[str, int]) -> float:
    return float(throughputs(machines, pd.DataFrame([cell]))[0])


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    return set_cells()


BUSY = replace(PLANTED, middleware_s=150e-6)  # a bottleneck of some cells, so that they tell of it


def planted(cells: pd.DataFrame) -> pd.DataFrame:
    return cells.assign(published=throughputs(BUSY, cells), relative_error=0.01)


def test_each_study_has_a_design_and_cells_of_other_systems(cells):
    for study in STUDIES:
        own = cells[cells["study"] == study]
        assert (own["part"] == DESIGN).sum() == 8
        assert (own["part"] == OTHER).sum() >= 6
        systems = own.groupby("part")[SYSTEM].apply(lambda rows: set(map(tuple, rows.to_numpy())))
        assert systems[SAME] <= systems[DESIGN]
        assert not systems[OTHER] & systems[DESIGN]


def test_cells_are_those_that_are_printed(cells):
    printed = cells.set_index(["study", "place", *SYSTEM])["published"]
    assert printed["schmid2018", "table 3", 1, 1, 16] == 8413
    assert printed["yenicelik2018", "section 4", 2, 3, 32] == 12586
    assert printed["cetin2018", DESIGN, 1, 3, 32] == pytest.approx(4786.4, abs=0.1)
    assert printed["yenicelik2018", DESIGN, 2, 1, 32] == pytest.approx(15100, abs=0.1)
    clients = cells.set_index(["study", "place", *SYSTEM])["num_clients"]
    assert clients["yenicelik2018", "section 4", 2, 3, 8] == 96
    assert not cells.duplicated(["study", "place", *SYSTEM]).any()


def test_cells_of_one_system_are_predicted_as_each_alone(cells):
    alone = [throughput(BUSY, row) for row in cells.to_dict("records")]
    assert throughputs(BUSY, cells) == pytest.approx(alone, rel=1e-9)


def test_full_workers_are_on_the_network_or_at_the_server():
    x = throughput(PLANTED, CELL)
    at_server = 8 - x * 0.0007  # Little: 0.35 ms there and as long back
    assert x == pytest.approx(2500 * at_server**0.35, rel=0.02)


def test_three_servers_take_as_much_longer_as_the_slowest():
    many = CELL | {"workers": 64}  # so that the network is next to nothing
    fast = replace(PLANTED, alone_per_s=500, middleware_s=1e-9, forwarding_s=1e-9)
    one, three = (throughput(fast, many | {"servers": count}) for count in (1, 3))
    assert one / three == pytest.approx(PLANTED.slowest, rel=0.05)


def test_a_middleware_is_a_bottleneck_of_its_own():
    slow = replace(PLANTED, middleware_s=1 / 2000, forwarding_s=1e-9)
    for count in (1, 2):
        assert throughput(slow, CELL | {"middlewares": count}) == pytest.approx(
            2000 * count, rel=0.03
        )


def test_forwarding_to_three_servers_takes_three_times_as_long():
    slow = replace(PLANTED, middleware_s=1e-9, forwarding_s=1 / 1200)
    assert throughput(slow, CELL | {"servers": 3}) == pytest.approx(400, rel=0.03)


def test_a_middlewares_link_carries_each_set_to_every_server():
    fast = replace(PLANTED, alone_per_s=1e6, middleware_s=1e-9, forwarding_s=1e-9)
    cell = CELL | {"servers": 3, "workers": 64, "num_clients": 600}
    assert throughput(fast, cell) == pytest.approx(800e6 / 8 / 4356 / 3, rel=0.03)


@pytest.mark.slow
def test_what_is_fitted_may_be_chosen(cells):
    made_up = planted(cells)
    behind = made_up["middlewares"] > 0
    made_up.loc[made_up["part"] == DESIGN, "published"] *= 2
    made_up.loc[made_up["part"] == DESIGN, "relative_error"] = 10.0
    found = fit(made_up, chosen=behind & (made_up["part"] != DESIGN)).predictions
    unseen = found[found["part"] == DESIGN]
    assert (unseen["predicted"] / unseen["published"]).median() == pytest.approx(0.5, rel=0.05)


def test_cells_that_are_not_near_have_names(cells):
    schmids = (cells["study"] == "schmid2018") & (cells["place"] == "table 3")
    off = schmids & (cells["workers"] == 16)
    assert off.sum() == 1
    predictions = cells.assign(predicted=cells["published"] * np.where(off, 1.2, 1.05))
    near = cells_near(Fit(numbers=pd.DataFrame(), predictions=predictions), OTHER)
    assert len(near) == (cells["part"] == OTHER).sum() == near.index.nunique()
    schmid = study_name("schmid2018")
    assert near.index[~near].tolist() == [
        f"{schmid} table 3 48 clients 1 middlewares 16 workers 1 servers"
    ]


@pytest.mark.slow
def test_planted_machines_are_found_and_predict_what_was_not_seen(cells):
    found = fit(planted(cells))
    for _, own in found.numbers.groupby("study"):
        assert own["value"].to_numpy() == pytest.approx(np.array(astuple(BUSY)), rel=0.1)
        assert (own["ci_low"].to_numpy() < np.array(astuple(BUSY))).all()
        assert (own["ci_high"].to_numpy() > np.array(astuple(BUSY))).all()
    told = judged(found.predictions)
    assert (told["near"] == told["cells"]).all()
    assert told["median_error"].max() < 0.01


@pytest.mark.slow
def test_what_is_far_off_is_told(cells):
    doubled = planted(cells)
    unseen = doubled.index[(doubled["part"] == OTHER) & (doubled["study"] == "cetin2018")]
    doubled.loc[unseen[0], "published"] *= 2
    told = judged(fit(doubled).predictions).set_index(["study", "part"])
    row = told.loc[("cetin2018", OTHER)]
    assert row["largest_error"] == pytest.approx(-0.5, abs=0.02)
    assert row["near"] == row["cells"] - 1
