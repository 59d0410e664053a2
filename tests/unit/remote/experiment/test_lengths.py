from remote.experiment.lengths import Durations, Lengths, whole_seconds


def test_phases_last_longer_by_the_time_dilation_but_heating_does_not():
    durations = Durations(repetitions=3, stable_s=1.5, warm_up_s=0.5, cool_down_s=0.25, heat_s=10)
    assert durations.of_clock(3) == Lengths(stable_s=5, warm_up_s=12, cool_down_s=1)


def test_what_exceeds_a_whole_second_by_rounding_alone_is_not_rounded_up():
    assert whole_seconds(0.1 * 3 * 10) == 3 < 0.1 * 3 * 10
