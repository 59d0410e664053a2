import shutil
from dataclasses import replace

import pytest

from records.manifest import UnfinishedManifest
from remote.campaign import Campaign
from remote.campaign.attempts import MAX_ALIKE_IN_A_ROW, MAX_FAILURES_IN_A_ROW, Attempts
from remote.campaign.states import MAX_ATTEMPTS, State, counted_attempts, state_of
from remote.errors import (
    AlwaysRejected,
    CommandFailed,
    ConnectionLost,
    GroupError,
    HostGone,
    HostUnreachable,
    PortInUse,
)
from remote.experiment.manifest import read_manifest
from remote.phases import Phases
from tests.helpers.sessions import BAD_JOB, GOOD_JOB, ScriptedFleet, ScriptedSession

BROKEN = CommandFailed("s1", "memcached", 137, "Killed")
GONE = HostGone("c2", "no answer", "Check the link.")
LOST = ConnectionLost("c2", "it broke off", "Check the link.")


@pytest.fixture
def runs(tmp_path):
    return Campaign.open("test", profile="smoke", data_dir=tmp_path).runs("2.1")


@pytest.fixture
def many(runs):
    return [replace(runs[0], repetition=number) for number in range(1, 17)]


def measure(runs, *outcomes, gone=(), back=(), fleet=None, afresh=False, plans=()):
    session, settled = ScriptedSession(*outcomes), []
    attempts = Attempts(
        fleet or ScriptedFleet(gone, back),
        ["c1", "c2"],
        UnfinishedManifest,
        Phases(),
        lambda run, reason: settled.append((run, reason)),
        afresh=afresh,
        on_silence=settled.append,
    )
    plans = iter(plans or [runs])
    try:
        attempts.measure(lambda: next(plans, ()), session.open, lambda run: None)
    finally:
        measure.session = session
    return settled


def states(runs):
    return [state_of(run, is_controlled=False).state for run in runs]


def test_run_rejected_in_every_attempt_is_given_up_and_the_next_goes_on(runs):
    settled = measure(runs[:2], *[BAD_JOB] * MAX_ATTEMPTS, GOOD_JOB)
    assert settled == [(runs[0], "exit_statuses: c1: iperf3 ended with 1"), (runs[1], "")]
    assert states(runs[:3]) == [State.REJECTED, State.DONE, State.TODO]
    assert len(runs[0].attempts()) == MAX_ATTEMPTS


def test_run_that_breaks_off_is_kept_with_its_reason_and_measured_again(runs):
    assert measure(runs[:1], BROKEN, GOOD_JOB) == [(runs[0], "")]
    folder = runs[0].folder.with_name("rep-1.failed-1")
    assert read_manifest(folder).error == "s1: `memcached` ended with status 137: Killed"
    assert (folder / "c1/ping-s1.txt.gz").is_file()
    assert measure.session.opened == 2, "what the failure broke is started anew"


def test_measuring_ends_when_nothing_works(runs):
    with pytest.raises(CommandFailed):
        measure(runs, *[BROKEN] * 20)
    assert sum(len(run.attempts()) for run in runs) == MAX_FAILURES_IN_A_ROW


def test_failures_with_a_good_run_between_them_do_not_end_the_measuring(many):
    settled = measure(many[:4], *[BROKEN, BROKEN, GOOD_JOB] * 4)
    assert settled == [(run, "") for run in many[:4]]


def test_attempts_are_numbered_on_when_the_folder_of_one_was_deleted(runs):
    with pytest.raises(KeyboardInterrupt):
        measure(runs[:1], BAD_JOB, BAD_JOB, KeyboardInterrupt())
    shutil.rmtree(runs[0].folder.with_name("rep-1.rejected-1"))
    assert measure(runs[:1], GOOD_JOB) == [(runs[0], "")]
    assert read_manifest(runs[0].folder).attempt == 3


def test_host_that_is_silent_is_waited_for_and_the_attempt_does_not_count(runs):
    outcomes = [*[LOST] * (2 * MAX_FAILURES_IN_A_ROW), GOOD_JOB]
    settled = measure(runs[:1], *outcomes, gone=["c2"], back=["c2"])
    assert settled == ["c2: cannot connect: no answer. Check the link.", (runs[0], "")]
    assert counted_attempts(runs[0]) == []
    assert {attempt.unreachable[0] for attempt in runs[0].attempts()} == {"c2"}


def test_attempt_that_is_rejected_when_a_connection_broke_does_not_count(runs):
    fleet = ScriptedFleet()

    def loses():
        fleet.lost.append("c2")
        return BAD_JOB

    outcomes = [loses, BAD_JOB, loses, loses, BAD_JOB, loses, GOOD_JOB]
    assert measure(runs[:1], *outcomes, fleet=fleet) == [(runs[0], "")]
    unreachable = [attempt.unreachable for attempt in runs[0].attempts()]
    assert unreachable == [["c2"], [], ["c2"], ["c2"], [], ["c2"]]
    assert len(counted_attempts(runs[0])) == 2


def test_rejections_for_one_reason_end_the_measuring(many):
    with pytest.raises(AlwaysRejected, match=r"24 attempts in a row .*: exit_statuses: c1: iperf3"):
        measure(many, *[BAD_JOB] * 100)
    assert sum(len(run.attempts()) for run in many) == MAX_ALIKE_IN_A_ROW
    assert states(many).count(State.REJECTED) == MAX_ALIKE_IN_A_ROW // MAX_ATTEMPTS


def test_a_machine_too_weak_for_some_runs_measures_the_others(many):
    given_up = [BAD_JOB] * MAX_ATTEMPTS
    outcomes = [*given_up * 7, GOOD_JOB, *given_up * 7, GOOD_JOB]
    settled = measure(many, *outcomes)
    assert [reason for _, reason in settled].count("") == 2


def test_attempts_in_a_row_for_different_reasons_do_not_end_the_measuring(many):
    outcomes = [LOST, BAD_JOB] * (MAX_ATTEMPTS * len(many))
    assert len(measure(many, *outcomes)) == len(many)


def test_a_host_that_comes_and_goes_for_ever_ends_the_measuring(runs):
    with pytest.raises(AlwaysRejected, match=r"24 attempts in a row .*c2: connection lost"):
        measure(runs, *[LOST] * 100)
    assert states(runs[:1]) == [State.TODO]


def test_what_is_on_the_hosts_is_removed_when_the_run_is_on_disk(runs):
    seen = []

    class Session(ScriptedSession):
        def measure(self, run, collected):
            super().measure(run, collected)
            collected.when_stored = lambda: seen.append(run.is_done()) or self.lose()

        def lose(self):
            raise LOST

    session = Session(GOOD_JOB)
    attempts = Attempts(ScriptedFleet(), ["c1"], UnfinishedManifest, Phases(), lambda *_: None)
    plans = iter([runs[:1]])
    attempts.measure(lambda: next(plans, ()), session.open, lambda run: None)
    assert seen == [True]
    assert runs[0].attempts() == []


def test_host_that_stays_silent_ends_the_measuring_and_is_named(runs):
    with pytest.raises(HostUnreachable, match="c2: cannot connect"):
        measure(runs, GOOD_JOB, BROKEN, gone=["c2"])
    assert states(runs[:2]) == [State.DONE, State.TODO]
    (attempt,) = runs[1].attempts()
    assert attempt.unreachable == ["c2"]


def test_attempts_that_a_missing_host_ended_do_not_count(runs):
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(HostUnreachable):
            measure(runs[:1], GONE, gone=["c2"])
    assert states(runs[:1]) == [State.TODO]
    assert measure(runs[:1], GOOD_JOB) == [(runs[0], "")]
    assert read_manifest(runs[0].folder).attempt == MAX_ATTEMPTS + 1


def test_earlier_attempts_count_unless_new_ones_are_asked_for(runs):
    with pytest.raises(KeyboardInterrupt):
        measure(runs[:1], BAD_JOB, BAD_JOB, KeyboardInterrupt())
    assert states(runs[:1]) == [State.TODO]
    assert measure(runs[:1], BAD_JOB)[0][1] == "exit_statuses: c1: iperf3 ended with 1"
    assert states(runs[:1]) == [State.REJECTED]
    assert measure(runs[:1], BAD_JOB, GOOD_JOB, afresh=True) == [(runs[0], "")]


@pytest.mark.parametrize(
    "error",
    [PortInUse("m1", 11212, "`nginx` (pid 7)"), GroupError({"a": PortInUse("m1", 1, ""), "b": 2})],
)
def test_what_no_attempt_can_mend_ends_the_measuring(runs, error):
    with pytest.raises(type(error)):
        measure(runs[:1], error)
    assert len(runs[0].attempts()) == 1


def test_next_runs_are_asked_for_when_all_before_are_settled(runs):
    plans = [runs[:2], runs[2:3]]
    settled = measure(runs, GOOD_JOB, *[BAD_JOB] * MAX_ATTEMPTS, GOOD_JOB, plans=plans)
    assert [run for run, _ in settled] == runs[:3]
    assert measure.session.opened == 1, "what is up stays up from plan to plan"


def test_attempts_begin_anew_after_a_pilot(runs):
    pilot = replace(runs[0], is_trial=True)
    plans = [[pilot], [runs[0]]]
    outcomes = [BAD_JOB, BAD_JOB, GOOD_JOB, BAD_JOB, BAD_JOB, GOOD_JOB]
    assert [reason for _, reason in measure(runs, *outcomes, plans=plans)] == ["", ""]
    assert read_manifest(runs[0].folder.with_name("rep-1.pilot-3")).is_trial
    assert runs[0].is_done()
    assert state_of(runs[0], is_controlled=False).state is State.DONE


def test_attempts_after_a_pilot_all_count_though_earlier_ones_are_forgotten(runs):
    with pytest.raises(KeyboardInterrupt):
        measure(runs[:1], BAD_JOB, BAD_JOB, KeyboardInterrupt())
    plans = [[replace(runs[0], is_trial=True)], [runs[0]]]
    measure(runs, GOOD_JOB, *[BAD_JOB] * MAX_ATTEMPTS, GOOD_JOB, plans=plans, afresh=True)
    assert states(runs[:1]) == [State.REJECTED]


def test_time_of_each_phase_is_in_the_manifest(runs):
    measure(runs[:1], GOOD_JOB)
    phases = read_manifest(runs[0].folder).phases_s
    assert set(phases) >= {"preparing", "measuring", "storing", "checking"}
    assert all(seconds >= 0 for seconds in phases.values())
