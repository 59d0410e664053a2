from records.text.words import counted, grouped, joined


def test_lists_read_as_in_a_sentence():
    assert joined([8]) == "8"
    assert joined([8, 16, 32]) == "8, 16 and 32"


def test_one_thing_stands_in_the_singular():
    assert [counted(number, "key") for number in (0, 1, 3)] == ["0 keys", "1 key", "3 keys"]


def test_numbers_in_sentences_are_grouped_by_thousands():
    assert grouped(-10_000.4) == "\N{MINUS SIGN}10\N{NARROW NO-BREAK SPACE}000"
