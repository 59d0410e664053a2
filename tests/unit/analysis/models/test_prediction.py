import math

import pytest

from analysis.models import System, message_bytes, predict
from analysis.models.prediction import largest_throughput


def test_no_load_passes_the_bound_of_links_and_workers():
    link = System(middlewares=1, workers=64, network_delay=5e-4, **message_bytes("get"))
    assert largest_throughput(link) == pytest.approx(1 / link.demands()["server link"])
    few = System(middlewares=1, workers=2, network_delay=5e-4, **message_bytes("get"))
    assert largest_throughput(few) == pytest.approx(2 / 1e-3)
    for system in (link, few):
        throughput = predict(system, 300).measures["throughput_ops_per_s"]
        assert throughput.max() <= largest_throughput(system) * (1 + 1e-9)


def test_without_anything_that_takes_time_there_is_no_bound():
    rates = dict.fromkeys(("client_link_rate", "server_link_rate"), math.inf)
    assert largest_throughput(System(**message_bytes("get"), **rates)) == math.inf
