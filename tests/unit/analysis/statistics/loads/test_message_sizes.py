import pytest

from analysis.statistics.loads.message_sizes import message_bytes, wire_bytes


def test_message_bytes_count_each_segments_headers():
    assert wire_bytes(1448) == 1448 + 66
    assert wire_bytes(1449) == 1449 + 132
    get = "get memtier-1234\r\n"
    hit = "VALUE memtier-1234 0 4096\r\n" + "x" * 4096 + "\r\nEND\r\n"
    assert {"request_bytes": len(get) + 66, "reply_bytes": len(hit) + 3 * 66} == message_bytes(
        "get"
    )
    stored = "set memtier-1234 0 9999 4096\r\n" + "x" * 4096 + "\r\n"
    assert {
        "request_bytes": len(stored) + 3 * 66,
        "reply_bytes": len("STORED\r\n") + 66,
    } == message_bytes("set")


def test_message_bytes_refuses_other_workloads():
    with pytest.raises(ValueError, match="workload must be 'get', 'multi-get' or 'set'"):
        message_bytes("delete")
