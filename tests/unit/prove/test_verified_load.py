"""The verifying clients and their ledger find what is wrong, and nothing else."""

import asyncio

import pytest
from verified_load.ledger import Ledger, flags_of, keys_of, ring_owners
from verified_load.verifier import Client, Findings, Rules

KEY = keys_of(0)[0]
OTHER_KEY = keys_of(0)[1]


@pytest.fixture
def ledger():
    return Ledger(writers=1, seed=1, holders=lambda key: [0, 1])


def write(ledger, key=KEY, *, acknowledged, sent_s=1.0):
    version, value = ledger.next_version(key, 2000)
    if acknowledged:
        ledger.acknowledge(key, version, sent_s)
    return flags_of(version), value


def test_last_acknowledged_version_may_be_read_and_an_older_one_may_not(ledger):
    first = write(ledger, acknowledged=True)
    second = write(ledger, acknowledged=True)
    since = ledger.snapshot(KEY)
    assert ledger.objection_to_value(KEY, since, *second) is None
    assert "version 1, but 2 was acknowledged" in ledger.objection_to_value(KEY, since, *first)


def test_a_read_sent_before_a_write_may_return_either_version(ledger):
    first = write(ledger, acknowledged=True)
    since = ledger.snapshot(KEY)
    second = write(ledger, acknowledged=True)
    assert ledger.objection_to_value(KEY, since, *first) is None
    assert ledger.objection_to_value(KEY, since, *second) is None


def test_an_unacknowledged_version_may_be_read_until_all_is_settled(ledger):
    lost = write(ledger, acknowledged=False)
    last = write(ledger, acknowledged=True)
    since = ledger.snapshot(KEY)
    assert ledger.objection_to_value(KEY, since, *lost) is None
    ledger.settle()
    assert ledger.objection_to_value(KEY, since, *lost) is not None
    assert ledger.objection_to_value(KEY, since, *last) is None


def test_damage_and_values_of_others_are_told(ledger):
    flags, value = write(ledger, acknowledged=True)
    _, other = write(ledger, OTHER_KEY, acknowledged=True)
    since = ledger.snapshot(KEY)
    changed = value[:-1] + bytes([value[-1] ^ 1])
    assert "the value of" in ledger.objection_to_value(KEY, since, flags, other)
    assert "damaged" in ledger.objection_to_value(KEY, since, flags, changed)
    assert "damaged" in ledger.objection_to_value(KEY, since, flags, value[:-1])
    assert "damaged" in ledger.objection_to_value(KEY, since, flags + 1, value)
    assert "no value of ours" in ledger.objection_to_value(KEY, since, flags, b"x" * 100)


def test_only_a_server_that_lost_its_data_after_the_write_may_miss(ledger):
    assert ledger.objection_to_miss(KEY, ledger.snapshot(KEY)) is None
    write(ledger, acknowledged=True, sent_s=10.0)
    since = ledger.snapshot(KEY)
    assert "missing" in ledger.objection_to_miss(KEY, since)
    ledger.empty_until_s[1] = 11.0
    assert ledger.objection_to_miss(KEY, since) is None
    assert ledger.objection_to_miss(KEY, since, server=1) is None
    assert "missing" in ledger.objection_to_miss(KEY, since, server=0)
    write(ledger, acknowledged=True, sent_s=12.0)
    assert "missing" in ledger.objection_to_miss(KEY, ledger.snapshot(KEY))


def test_a_full_server_may_miss_only_what_a_failed_write_has_removed(ledger):
    ledger.may_drop_old = True
    write(ledger, acknowledged=True)
    assert "missing" in ledger.objection_to_miss(KEY, ledger.snapshot(KEY))
    write(ledger, acknowledged=False)
    assert ledger.objection_to_miss(KEY, ledger.snapshot(KEY)) is None


def test_owners_on_the_ring_are_different_servers_and_all_have_a_share():
    servers = ["127.0.0.1:11211", "127.0.0.1:11212", "127.0.0.1:11213"]
    owners = [ring_owners(f"key-{number}", servers, 2) for number in range(200)]
    assert all(len(set(pair)) == 2 for pair in owners)
    assert {pair[0] for pair in owners} == {0, 1, 2}


def client_against(answer, action, *, bound_s=5.0, may_close=False, is_expected=None):
    """Let a client do `action` against a server that sends what `answer` makes of requests."""

    async def run():
        ledger = Ledger(writers=1, seed=1, holders=lambda key: [0])
        write(ledger, acknowledged=True)
        findings = Findings()

        writers = []

        async def serve(reader, writer):
            writers.append(writer)
            while line := await reader.readline():
                words = line.split()
                if words[0] == b"set":
                    await reader.readexactly(int(words[4]) + 2)
                reply = answer(words)
                if reply is None:
                    break
                writer.write(reply)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        rules = Rules(
            port=server.sockets[0].getsockname()[1],
            bound_s=bound_s,
            is_expected=is_expected or (lambda line, request: False),
            may_close=may_close,
        )
        rules.is_up.set()
        client = Client(0, rules, ledger, findings, seed=1)
        await action(client)
        client.close()
        server.close()
        for writer in writers:
            writer.close()
            await writer.wait_closed()
        return client, findings

    return asyncio.run(run())


def good(words):
    """Answer as a server that has KEY only, in its first version."""
    if words[0] == b"set":
        return b"STORED\r\n"
    found = b""
    if KEY.encode() in words[1:]:
        ledger = Ledger(writers=1, seed=1, holders=lambda key: [0])
        flags, value = write(ledger, acknowledged=True)
        found = b"VALUE %s %d %d\r\n%s\r\n" % (KEY.encode(), flags, len(value), value)
    return found + b"END\r\n"


def test_a_client_that_is_answered_well_has_nothing_to_complain_of():
    async def action(client):
        await client.read_all()
        await client.write_own()

    client, findings = client_against(good, action)
    assert (findings.wrong, findings.missing) == ([], [])
    assert client.tally.sent == client.tally.answered
    assert client.tally.hits.total() == 1
    assert client.tally.misses.total() == len(keys_of(0)) - 1


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda words: b"END\r\n", "missing"),
        (lambda words: good(words).replace(b"END", b"STORED"), "STORED"),
        (lambda words: b"VALUE nobody-asked 0 1\r\nx\r\nEND\r\n", "nobody-asked"),
        (lambda words: good(words)[:-8] + b"x\r\nEND\r\n", "damaged"),
        (lambda words: b"SERVER_ERROR 127.0.0.1:1 failed\r\n", "SERVER_ERROR"),
        (lambda words: b"ERROR\r\n", "ERROR"),
    ],
)
def test_a_reply_that_does_not_fit_is_wrong(answer, complaint):
    _, findings = client_against(answer, Client.read_all)
    assert any(complaint in wrong for wrong in findings.wrong)


def test_an_error_that_is_due_is_counted_and_not_wrong():
    client, findings = client_against(
        lambda words: b"SERVER_ERROR 127.0.0.1:1 failed\r\n",
        Client.write_own,
        is_expected=lambda line, request: line.startswith("SERVER_ERROR 127.0.0.1:1 "),
    )
    assert findings.wrong == []
    assert client.tally.errors["set"] == len(keys_of(0))


@pytest.mark.parametrize("may_close", [False, True])
def test_a_closed_connection_is_missing_unless_it_may_be_closed(may_close):
    client, findings = client_against(lambda words: None, Client.write_own, may_close=may_close)
    assert bool(findings.missing) is not may_close
    assert client.tally.answered.total() == 0


def test_an_answer_that_does_not_come_is_missing():
    _, findings = client_against(lambda words: b"", Client.write_own, bound_s=0.05)
    assert len(findings.missing) == len(keys_of(0))
    assert "no answer within 0.05 s" in findings.missing[0]
