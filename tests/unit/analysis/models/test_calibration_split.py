import pandas as pd

from analysis.models.calibration_split import (
    DEMANDS,
    JUDGED,
    calibration_cells,
    draw_calibration_split,
    split_table,
)


def runs_of(loads=(6, 24, 96, 288), workers=(8, 64), repetitions=2, **more):
    rows = [
        {"section": "3.1", "workload": workload, "workers": count, "num_clients": load}
        for workload in ("set", "get")
        for count in workers
        for load in loads
        for _ in range(repetitions)
    ]
    return pd.DataFrame(rows).assign(**more)


def test_halves_are_those_of_the_campaigns_seed_whatever_was_measured_first():
    runs = runs_of(campaign_seed=7.0)
    pd.testing.assert_frame_equal(
        draw_calibration_split(runs), draw_calibration_split(runs.iloc[::-1])
    )
    only = draw_calibration_split(runs[runs["workload"] == "set"])
    both = draw_calibration_split(runs).query("workload == 'set'").reset_index(drop=True)
    pd.testing.assert_frame_equal(only, both)
    others = [
        draw_calibration_split(runs_of(campaign_seed=seed))["half"].tolist() for seed in range(5)
    ]
    assert len(set(map(tuple, others))) > 1


def test_of_an_odd_number_one_more_judges_and_a_single_cell_tells_demands():
    three = draw_calibration_split(runs_of(loads=(6, 24, 96), workers=(8,)))
    assert (
        three.groupby("workload")["half"].agg(list).map(sorted).tolist()
        == [[DEMANDS, JUDGED, JUDGED]] * 2
    )
    single = draw_calibration_split(runs_of(loads=(6,), workers=(8,)))
    assert single["half"].tolist() == [DEMANDS, DEMANDS]


def test_the_table_tells_all_cells_once():
    runs = runs_of()
    table = split_table(runs)
    assert len(table) == 4
    told = table[["clients_for_demands", "clients_judged"]].fillna("").agg(", ".join, axis=1)
    for text in told:
        assert sorted(int(load) for load in text.strip(", ").split(", ")) == [6, 24, 96, 288]
    assert len(calibration_cells(runs, "3.1", "set")) == 4


def test_cells_of_several_think_times_are_drawn_apart():
    runs = pd.concat([runs_of(think_time_s=0.0), runs_of(think_time_s=0.005)], ignore_index=True)
    table = draw_calibration_split(runs)
    assert len(table) == 2 * len(draw_calibration_split(runs_of()))
    assert set(table["think_time_s"]) == {0.0, 0.005}
    assert "think_time_s" not in draw_calibration_split(runs_of(think_time_s=0.005))
    assert set(split_table(runs)["think_time_s"]) == {0.0, 0.005}
