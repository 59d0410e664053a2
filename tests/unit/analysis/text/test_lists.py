import pandas as pd

from analysis.text.lists import counted, joined, merged, span


def test_lists_read_as_in_a_sentence():
    assert joined([8]) == "8"
    assert joined([8, 16, 32]) == "8, 16 and 32"


def test_a_range_whose_ends_read_alike_is_one_number():
    assert span([2.96, 3.04], "{:.1f}".format) == "3.0"
    assert span([3.4, 2.6], "{:.1f}".format) == "2.6 to 3.4"


def test_rows_that_differ_in_one_column_stand_together():
    rows = [("get", 8, 6), ("get", 8, 24), ("get", 16, 6), ("get", 16, 24), ("set", 8, 6)]
    assert merged(pd.DataFrame(rows)) == [
        (("get",), (8, 16), (6, 24)),
        (("set",), (8,), (6,)),
    ]


def test_rows_that_differ_in_two_columns_stay_apart():
    rows = [("get", 8), ("set", 16)]
    assert merged(pd.DataFrame(rows)) == [(("get",), (8,)), (("set",), (16,))]


def test_one_thing_stands_in_the_singular():
    assert [counted(number, "key") for number in (0, 1, 3)] == ["0 keys", "1 key", "3 keys"]
