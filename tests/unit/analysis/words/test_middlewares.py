import pytest

from analysis.tables.tidying import tidy_campaign
from analysis.words.middlewares import second_middleware_sentences
from tests.helpers.campaign import build_campaign


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthetic")
    return tidy_campaign(build_campaign(folder, sections=("3.1", "3.2"), workers=(8, 16))).runs


def lines(runs):
    return second_middleware_sentences(runs).replace("\N{NARROW NO-BREAK SPACE}", "").splitlines()


def test_what_hardly_changes_stands_together(runs):
    (gets,) = [line for line in lines(runs) if line.startswith("- **get")]
    assert gets.startswith("- **get, 8 and 16 workers each**: the usable capacity hardly changes")


def test_a_gain_is_explained_by_service_time_and_utilization(runs):
    two = (runs["section"] == "3.2") & (runs["workload"] == "set")
    column = "client_throughput_ops_per_s"
    faster = runs.assign(**{column: runs[column].where(~two, runs[column] * 2.1)})
    few, many = (line for line in lines(faster) if line.startswith("- **set"))
    assert "a factor of 2." in few
    assert "twice the workers would do 2.00 times as much" in few
    assert "One middleware with 16 workers does " in few
    assert "One middleware with" not in many


def test_one_section_alone_is_compared_with_nothing(runs):
    words = second_middleware_sentences(runs.query("section == '3.1'"))
    assert "no two systems to compare" in words
