"""What is learnt of hosts that are to start together, and what is not."""

from types import SimpleNamespace

import pytest

from records.manifest_entries import ClockReading
from remote.hosts.jobs.start_leads import LEAST_S, LONGEST_S, START_LEADS, StartLeads
from tests.helpers.clock import FakeClock

CLOCK = FakeClock()


def reading(offset_s, bound_s):
    return ClockReading(offset_s=offset_s, bound_s=bound_s, epoch_s=0.0)


OF_HOST = reading(0.0, 0.001)


class Way:
    """A connection that breaks, and is made anew, when it is told so."""

    def __init__(self, name="c1"):
        self.host = SimpleNamespace(name=name)
        self.transport = object()

    def open(self):
        return self.transport

    def breaks(self):
        self.transport = object()


class Job:
    """A job that takes its time to be told something."""

    def __init__(self, connection, seconds=0.0, happens=lambda: None):
        self.connection = connection
        self.seconds = seconds
        self.happens = happens
        self.told = []

    def tell(self, line):
        CLOCK.sleep(self.seconds)
        self.happens()
        self.told.append(line)


def lead_s(leads, *names):
    return leads.lead_s(dict.fromkeys(names or ("c1",), OF_HOST))[0]


def test_without_knowledge_the_lead_is_that_of_the_slowest_answer(tmp_path):
    clocks = {"c1": OF_HOST, "c2": reading(0.0, 0.2)}
    assert StartLeads(tmp_path, clock=CLOCK).lead_s(clocks) == (pytest.approx(2.1), "c2")


def test_a_clock_that_is_ahead_needs_more_and_one_that_is_behind_no_less(tmp_path):
    leads = StartLeads(tmp_path, clock=CLOCK)
    ahead = leads.lead_s({"c1": reading(0.15, 0.001)})[0]
    behind = leads.lead_s({"c1": reading(-0.15, 0.001)})[0]
    assert ahead - behind == pytest.approx(0.15)


def test_the_slowest_host_is_learnt_by_all_and_kept_for_the_next_call(tmp_path):
    leads = StartLeads(tmp_path, clock=CLOCK)
    jobs = [Job(Way("c1")), Job(Way("c2"), seconds=0.2)]
    leads.tell(jobs, "1795")
    assert [job.told for job in jobs] == [["1795"], ["1795"]]
    leads.keep()
    again = StartLeads(tmp_path, clock=CLOCK)
    assert lead_s(again, "c1") == pytest.approx(LEAST_S + 0.01)
    assert lead_s(again, "c1", "c2") == pytest.approx(LEAST_S + 0.4)


def test_what_a_host_took_is_forgotten_by_and_by(tmp_path):
    leads = StartLeads(tmp_path, clock=CLOCK)
    leads.was_late("c1", 3.0)
    leads_s = []
    for _ in range(4):
        leads.tell([Job(Way("c1"))], "1795")
        leads_s.append(lead_s(leads))
    assert leads_s[0] == pytest.approx(LEAST_S + 1.5)
    assert leads_s[-1] < 1


def test_a_connection_that_breaks_spoils_nothing(tmp_path):
    leads = StartLeads(tmp_path, clock=CLOCK)
    way = Way()
    leads.was_late("c1", 2 * LONGEST_S + 1)
    leads.tell([Job(way, seconds=0.3, happens=way.breaks)], "1795")
    leads.was_late("c1", 5.0)

    def fail():
        raise ConnectionError

    with pytest.raises(ConnectionError):
        leads.tell([Job(way, seconds=0.3, happens=fail)], "1795")
    assert lead_s(leads) == pytest.approx(LEAST_S + 0.01)


def test_a_first_command_counts_until_more_is_known(tmp_path):
    leads = StartLeads(tmp_path, clock=CLOCK)
    assert leads.first(Way(), lambda: CLOCK.sleep(0.2) or "started") == "started"
    assert lead_s(leads) == pytest.approx(LEAST_S + 0.2)
    leads.first(Way(), lambda: CLOCK.sleep(0.4))
    assert lead_s(leads) == pytest.approx(LEAST_S + 0.2)
    leads.tell([Job(Way(), seconds=0.3)], "1795")
    assert lead_s(leads) == pytest.approx(LEAST_S + 0.6)


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 99_999, "{", '{"c1": "soon"}', '{"c1": -1}', '{"c1": 1e9}']
)
def test_a_file_that_cannot_be_read_is_nothing(tmp_path, text):
    (tmp_path / START_LEADS).write_text(text)
    assert lead_s(StartLeads(tmp_path, clock=CLOCK)) == pytest.approx(LEAST_S + 0.01)
