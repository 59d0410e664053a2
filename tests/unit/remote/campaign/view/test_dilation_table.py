import pytest
from click.testing import CliRunner

from lab.cli import main
from records.text.words import MISSING
from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.view.dilation_table import dilation_table
from remote.experiment.lengths import Lengths
from remote.experiment.section_file import read_section

CONFIG = {"workload": "set"}


def run(k, value, *, trial=True, share=None, **results):
    return Measured(
        repetition=1,
        counts=not trial,
        is_trial=trial,
        time_dilation=k,
        lengths=Lengths(stable_s=3),
        machine_share=share,
        results={
            "client_response_time_ms": value,
            "client_response_time_ms_error": 1e-3 * value,
            **results,
        },
    )


def row(*measured, **given):
    """The cells of the only row, parts of one cell that stand below each other joined by `|`."""
    cell = Cell(config=CONFIG, measured=measured)
    _, headers, rule, *lines = dilation_table(
        read_section("3.1", "quick"), [cell], **given
    ).splitlines()
    starts = [i for i, sign in enumerate(rule) if sign == "-" and (i == 0 or rule[i - 1] == " ")]
    ends = [*starts[1:], None]
    columns = list(zip(starts, ends, strict=True))
    names = [headers[start:end].strip() for start, end in columns]
    texts = [
        "|".join(part for line in lines if (part := line[start:end].strip()))
        for start, end in columns
    ]
    return dict(zip(names, texts, strict=True))


def test_a_trial_near_its_limit():
    assert row(run(1.0, 50.2, share=0.011)) == {
        "configuration": "workload=set",
        "trials": "1: 50.2 ms, 1.1 %",
        "k": "1",
        "machine at most": "1.1 %",
        "suffices": "yes",
        "why": "near its limit",
    }


def test_what_does_not_suffice_is_marked():
    found = row(*(run(k, 0.2 + 50 / k) for k in (1.0, 4.0, 16.0, 64.0)))
    assert (found["k"], found["suffices"], found["why"]) == ("64", "NO", "no k suffices")


def test_a_time_dilation_that_was_given_has_the_share_of_its_runs():
    given = [run(10.0, 1.2, trial=False, share=share) for share in (0.01, 0.03)]
    found = row(*given)
    assert (found["trials"], found["k"], found["machine at most"]) == (MISSING, "10", "3.0 %")
    assert (found["suffices"], found["why"]) == ("NO", "given")
    assert row(given[0], run(10.0, 1.2, trial=False))["suffices"] == MISSING


def test_extrapolation_leads_to_what_the_machine_has_no_share_in():
    def measured(k, off, **given):
        cycle_ms = 1 + 0.2 / k + off
        return run(k, cycle_ms, client_throughput_ops_per_s=6000 / cycle_ms, **given)

    runs = [measured(1.0, 1e-4), measured(4.0, -1e-4), measured(10.0, 0.0, trial=False)]
    found = row(*runs, measured(10.0, 2e-4, trial=False), extrapolate=True)
    for column, truth in {"ms at 1/k = 0": 1, "op/s at 1/k = 0": 6000}.items():
        value, interval = found[column].split(" ", 1)
        low, high = (float(bound) for bound in interval.strip("()").split(" to "))
        assert low < truth < high < low + 0.01 * truth
        assert float(value) == pytest.approx(truth, rel=1e-3)


def test_extrapolation_needs_three_k_and_a_line():
    assert row(run(1.0, 5.0, share=0.0), extrapolate=True)["ms at 1/k = 0"] == MISSING
    two = [run(1.0, 34.0), run(4.0, 11.0, share=0.003)]  # the processor, then the link
    assert row(*two, extrapolate=True)["ms at 1/k = 0"] == MISSING
    values = {1.0: 10.0, 4.0: 2.5, 16.0: 1.0, 64.0: 1.0}  # a machine whose CPU was the limit
    runs = [run(k, value * off) for k, value in values.items() for off in (0.999, 1.001)]
    assert row(*runs, extrapolate=True)["ms at 1/k = 0"] == "no line"


def test_command_shows_a_campaign_and_refuses_what_has_no_load():
    shown = CliRunner().invoke(main, ["dilations", "3.1", "--campaign", "reference"])
    assert shown.exit_code == 0 and "Section 3.1: the machine's share" in shown.output
    assert "near its limit" in shown.output
    refused = CliRunner().invoke(main, ["dilations", "0", "--campaign", "reference"])
    assert refused.exit_code == 1 and "measures links" in refused.output
    missing = CliRunner().invoke(main, ["dilations", "3.1", "--campaign", "none-such"])
    assert missing.exit_code == 1
