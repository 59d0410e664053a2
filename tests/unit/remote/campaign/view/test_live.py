import json

import pytest

from remote.campaign.view.live import LiveFigure, Reading, Sample, _figure, between, parse_stats


def reply(seconds, requests, mean):
    stats = {
        "started_epoch_ms": 1_000_000,
        "stopped_epoch_ms": 1_000_000 + 1000 * seconds,
        "requests": {"set": {"requests": requests}, "get": {"requests": 5}},
        "queue": {"mean": mean, "max": 9},
    }
    return b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + json.dumps(stats).encode() + b"\n"


def test_what_happens_now_is_the_difference_of_two_replies():
    before, now = parse_stats(reply(10, 1000, 2.0)), parse_stats(reply(12, 1600, 4.0))
    sample = between([before, before], [now, now])
    assert sample.epoch_s == 1012
    assert sample.throughput_ops_per_s == pytest.approx(2 * 300)
    assert sample.queue_length == pytest.approx(2 * (4 * 12 - 2 * 10) / 2)
    assert sample.undilated(4).text() == "2,400 op/s, queue 28.0"


def test_middleware_that_was_started_anew_gives_no_sample():
    before, now = parse_stats(reply(10, 1000, 2.0)), parse_stats(reply(1, 10, 0.0))
    assert between([before], [now]) is None
    assert between([], [now]) is None


@pytest.mark.parametrize(
    "wrong",
    [b"", b"HTTP/1.1 503 Unavailable\r\n\r\n{}\n", b"HTTP/1.1 200 OK\r\n\r\n{}\n", b"END\r\n"],
)
def test_other_replies_are_refused(wrong):
    with pytest.raises(ValueError, match=r"not a reply of /stats"):
        parse_stats(wrong)


def test_queue_without_time_is_empty():
    assert parse_stats(reply(0, 0, None)) == Reading(
        epoch_s=1000.0, measured_s=0.0, requests=5, waiting_job_s=0.0
    )


def test_figure_draws_itself_on_and_without_a_notebook_is_none():
    assert LiveFigure().figure is None
    live = LiveFigure()
    live.figure = _figure()
    live.begin("3.1 workers=8")
    for second, throughput in enumerate((100.0, 200.0)):
        live.add(
            Sample(epoch_s=50.0 + second, throughput_ops_per_s=throughput, queue_length=second)
        )
    assert live.figure.layout.title.text == "3.1 workers=8"
    assert live.figure.data[0].x == (0.0, 1.0)
    assert live.figure.data[0].y == (100.0, 200.0)
    assert live.figure.data[1].y == (0, 1)
    live.close()
