import pandas as pd

from analysis.words.choice import choice_sentences


def errors(*rows):
    return pd.DataFrame(rows, columns=["model", "relative_error"])


def test_the_nearest_model_is_named_with_its_errors_and_why():
    compared = {
        "Poisson arrivals": errors(
            ("M/M/1", 0.3), ("M/M/1", 0.2), ("M/D/1", -0.02), ("M/D/1", 0.04)
        ),
        "inside, closed": errors(("M/M/1", 12.0), ("M/M/m", -0.9)),
        "nothing": errors(("M/M/1", float("nan"))),
    }
    lines = choice_sentences(compared).replace("\xa0", " ").splitlines()
    assert lines[0] == (
        "- **Poisson arrivals**: M/D/1 (errors \N{MINUS SIGN}2.0 % to +4.0 %, half of them within "
        "3.0 %), for service times hardly vary there."
    )
    assert "no model is near; the best is M/M/m" in lines[1]
    assert "does not know that clients wait for their replies" in lines[1]
    assert lines[2] == "- **nothing**: nothing to compare."
