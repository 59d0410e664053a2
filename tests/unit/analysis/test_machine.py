import pandas as pd

from analysis.machine import machine_table, machine_words

BY = ["workers", "num_clients"]


def hosts(busy, *, shared=True, k=4.0) -> pd.DataFrame:
    """Two hosts of each configuration, that record the same machine."""
    rows = [
        (workers, clients, host, shared, k, percent)
        for (workers, clients), percent in busy.items()
        for host in ("c1", "s1")
    ]
    columns = [*BY, "host", "shares_machine", "time_dilation", "cpu_percent"]
    return pd.DataFrame(rows, columns=columns)


def test_every_configuration_has_the_load_of_the_machine():
    table = machine_table(hosts({(8, 48): 50.0, (64, 192): 95.0}), BY)
    assert table["machine_utilization"].tolist() == [0.5, 0.95]
    assert table["machine_is_limit"].tolist() == [False, True]
    assert (table["time_dilation"] == 4).all()


def test_a_machine_with_room_is_not_the_limit():
    text = machine_words(hosts({(8, 48): 50.0, (64, 192): 80.0}), BY).replace("\xa0", " ")
    assert text.startswith("Time was dilated by k = 4: ")
    assert "busy for 50 % to 80 % of the time over the 2 configurations" in text
    assert "its processors limited none of them" in text


def test_what_is_just_below_the_limit_is_not_rounded_up_to_it():
    text = machine_words(hosts({(8, 48): 50.0, (64, 192): 89.6}), BY).replace("\xa0", " ")
    assert "busy for 50 % to 89.6 % of the time" in text
    assert "below 90 % everywhere" in text


def test_where_the_machine_was_the_limit_is_said():
    text = machine_words(hosts({(8, 48): 50.0, (64, 192): 95.0}), BY).replace("\xa0", " ")
    assert "In 1 of them" in text
    assert "workers 64, clients 192 (95 %)" in text


def test_machines_of_their_own_are_no_shared_limit():
    text = machine_words(hosts({(8, 48): 99.0}, shared=False, k=1.0), BY)
    assert text == "Time was not dilated (k = 1). Every host has a machine of its own."
