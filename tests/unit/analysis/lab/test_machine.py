import pandas as pd

from analysis.lab.machine import dilation_words, machine_table, machine_words

BY = ["workers", "num_clients"]


def hosts(busy, *, shared=True, k=4.0, spread=0.0) -> pd.DataFrame:
    """Two runs of each configuration with two hosts each, that record the same machine."""
    rows = [
        (workers, clients, repetition, host, shared, k, percent + difference)
        for (workers, clients), percent in busy.items()
        for repetition, difference in ((1, -spread), (2, spread))
        for host in ("c1", "s1")
    ]
    columns = [*BY, "repetition", "host", "shares_machine", "time_dilation", "cpu_percent"]
    return pd.DataFrame(rows, columns=columns)


def test_every_configuration_has_the_load_of_the_machine():
    table = machine_table(hosts({(8, 48): 50.0, (64, 192): 95.0}), BY)
    assert table["machine_utilization"].tolist() == [0.5, 0.95]
    assert table["machine_is_limit"].tolist() == [False, True]
    assert (table["time_dilation"] == 4).all()


def test_a_machine_with_room_is_not_the_limit():
    text = machine_words(hosts({(8, 48): 50.0, (64, 192): 80.0}), BY).replace("\xa0", " ")
    assert text.startswith("Time was dilated by k = 4: ")
    assert "busy for 50 % to 80 % of the time in the runs of 2 configurations" in text
    assert "its processors limited none of them" in text


def test_what_is_just_below_the_limit_is_not_rounded_up_to_it():
    text = machine_words(hosts({(8, 48): 50.0, (64, 192): 89.6}), BY).replace("\xa0", " ")
    assert "busy for 50 % to 89.6 % of the time" in text
    assert "below 90 % in every run" in text


def test_a_single_run_at_the_limit_is_not_hidden_by_the_mean():
    frame = hosts({(8, 48): 50.0, (64, 192): 89.6}, spread=1.0)
    assert machine_table(frame, BY)["machine_is_limit"].tolist() == [False, True]
    text = machine_words(frame, BY).replace("\xa0", " ")
    assert "busy for 49 % to 91 % of the time" in text
    assert "workers 64, clients 192 (91 %)" in text
    assert "none" not in text


def test_where_the_machine_was_the_limit_is_said():
    text = machine_words(hosts({(8, 48): 50.0, (64, 192): 95.0}), BY).replace("\xa0", " ")
    assert "In 1 of them" in text
    assert "workers 64, clients 192 (95 %)" in text


def test_machines_of_their_own_are_no_shared_limit():
    text = machine_words(hosts({(8, 48): 99.0}, shared=False, k=1.0), BY)
    assert text == "Time was not dilated (k = 1). Every host has a machine of its own."


def test_sections_with_different_k_are_told_apart():
    runs = pd.DataFrame({"section": ["3.1", "3.1", "3.2"], "time_dilation": [10.0, 10.0, 12.0]})
    start = "Section 3.1 was measured with k = 10 and section 3.2 with k = 12: "
    assert dilation_words(runs).startswith(start)
    assert (
        dilation_words(runs.query("section == '3.1'")) == "All of them were measured with k = 10."
    )
