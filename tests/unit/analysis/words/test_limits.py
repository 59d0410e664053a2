import pandas as pd

from analysis.words.limits import limit_sentences


def test_systems_with_the_same_limit_stand_together():
    rows = [
        ("get", 1, 8.0, "servers' links", 0.97),
        ("get", 1, 8.0, "workers", 0.99),
        ("get", 3, 8.0, "servers' links", 0.7),
        ("get", 3, 8.0, "workers", 0.95),
        ("get", 3, 32.0, "servers' links", 0.93),
        ("get", 3, 32.0, "workers", float("nan")),
        ("set", 3, 32.0, "clients' links", 0.96),
        ("set", 3, 32.0, "workers", 0.95),
        ("set", 1, 8.0, "servers' links", 0.2),
    ]
    columns = ["workload", "num_servers", "workers", "resource", "utilization"]
    frame = pd.DataFrame(rows, columns=columns).assign(queue_length=100.0)
    told = limit_sentences(frame, ["num_servers", "workers"])
    assert told.splitlines() == [
        "- **Workload get**, limited by the servers' links: 1 server, 8 workers; "
        "3 servers, 32 workers.",
        "- **Workload get**, limited by the workers: 3 servers, 8 workers.",
        "- **Workload set**, with no resource busy all the time: 1 server, 8 workers.",
        "- **Workload set**, limited by the workers: 3 servers, 32 workers.",
    ]


def test_system_without_middleware_is_named_as_such():
    row = {"workload": "get", "num_middlewares": 0, "resource": "servers' links"}
    frame = pd.DataFrame([row | {"utilization": 0.97, "queue_length": float("nan")}])
    told = limit_sentences(frame, ["num_middlewares"])
    assert told == "- **Workload get**, limited by the servers' links: no middleware."
