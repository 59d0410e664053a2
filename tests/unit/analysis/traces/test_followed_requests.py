import gzip
import json

import numpy as np
import pytest

from analysis.results import ParseError
from analysis.traces.followed_requests import STAGES, followed_requests
from tests.helpers.followed_run import USUAL_MS, Passage, ordinary_passages, write_run

NS_MS = 1e-6  # stamps are whole nanoseconds


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def stages(requests):
    return requests[[f"{stage}_ms" for stage in STAGES]].to_numpy()


def truth(passages):
    return np.array([[one.stages_ms[stage] for stage in STAGES] for one in passages])


def test_stages_are_those_that_the_requests_had(tmp_path, rng):
    passages = ordinary_passages(rng, 50)
    requests = followed_requests(write_run(tmp_path, passages))
    assert stages(requests) == pytest.approx(truth(passages), abs=1e-4)
    assert requests["sent_s"].tolist() == pytest.approx([one.sent_s for one in passages])
    assert requests["servers"].tolist() == [one.servers for one in passages]
    assert requests["slowest_server"].tolist() == [one.servers[0] for one in passages]
    assert requests["worker"].tolist() == [one.worker for one in passages]
    assert set(requests["client_host"]) == {"c1"}
    assert set(requests["middleware"]) == {"m1"}
    assert requests["stable"].all()
    assert requests["intended_ms"].isna().all()


def test_stamps_are_in_the_order_of_the_stages_since_the_sending(tmp_path):
    run = write_run(tmp_path, [Passage(servers=("s2", "s1"))])
    (request,) = followed_requests(run).to_dict("records")
    names = ["first_byte", "enqueued", "dequeued", "servers_sent", "servers_answered", "replied"]
    expected = np.cumsum([USUAL_MS[stage] for stage in STAGES[:-1]])
    assert [request[f"{name}_ms"] for name in names] == pytest.approx(expected, abs=NS_MS)
    assert request["server_sent_ms"] == pytest.approx([expected[3]] * 2, abs=NS_MS)
    assert request["server_answered_ms"] == pytest.approx(
        [expected[4], expected[4] - 0.001], abs=NS_MS
    )


@pytest.mark.parametrize("offsets_s", [(0.3, 0.3), (-2.0, -2.0), (0.0, 0.05), (0.01, -0.03)])
def test_clocks_that_are_off_and_drift_are_corrected(tmp_path, rng, offsets_s):
    passages = ordinary_passages(rng, 50)
    run = write_run(tmp_path, passages, offsets_s={"m1": offsets_s, "c1": (0.1, 0.1)})
    requests = followed_requests(run)
    assert stages(requests) == pytest.approx(truth(passages), abs=0.01)
    assert not requests["beyond_clock_bound"].any()
    assert requests["clock_bound_ms"].tolist() == pytest.approx([2 * (1 + 0.02)] * 50)


@pytest.mark.parametrize(("bound_s", "told"), [(0.0001, True), (0.001, False)])
def test_a_link_of_less_than_no_time_is_told_where_clocks_do_not_explain_it(
    tmp_path, bound_s, told
):
    """The clock is off by 1 ms less than its reading says: a link of 0.5 ms takes -0.5 ms."""
    run = write_run(tmp_path, [Passage()], bound_s=bound_s)
    manifest = json.loads((run / "manifest.json").read_text())
    for reading in manifest["clocks"]["m1"].values():
        reading["offset_s"] += 0.001
    (run / "manifest.json").write_text(json.dumps(manifest))
    (request,) = followed_requests(run).to_dict("records")
    assert request["link_there_ms"] == pytest.approx(-0.5, abs=1e-5)
    assert request["link_back_ms"] == pytest.approx(1.5, abs=1e-5)
    assert request["beyond_clock_bound"] is told
    assert request["balance_ms"] == pytest.approx(0, abs=NS_MS)


def test_a_client_that_reads_before_the_reply_is_stamped_read_it_at_once(tmp_path):
    """The middleware's thread is interrupted between handing the reply over and its stamp."""
    run = write_run(tmp_path, [Passage()], fleet="loopback")
    path = run / "m1/middleware/followed.csv"
    header, line = path.read_text().splitlines()
    cells = line.split(",")
    cells[7] = str(int(cells[7]) + 2_000_000)
    path.write_text(f"{header}\n{','.join(cells)}\n")
    (request,) = followed_requests(run).to_dict("records")
    assert request["link_back_ms"] == 0
    expected_ms = USUAL_MS["replying_time"] + USUAL_MS["link_back"]
    assert request["replying_time_ms"] == pytest.approx(expected_ms, abs=1e-5)
    assert request["balance_ms"] == pytest.approx(0, abs=NS_MS)
    assert not request["beyond_clock_bound"]


@pytest.mark.parametrize(("late_s", "told"), [(0.0003, False), (0.002, True)])
def test_a_reply_that_is_read_before_servers_have_answered_is_told(tmp_path, late_s, told):
    """The middleware's clock is ahead by more than its reading says."""
    run = write_run(tmp_path, [Passage()], bound_s=0.0001, offsets_s={"m1": (late_s, late_s)})
    manifest = json.loads((run / "manifest.json").read_text())
    for reading in manifest["clocks"]["m1"].values():
        reading["offset_s"] = 0.0
    (run / "manifest.json").write_text(json.dumps(manifest))
    (request,) = followed_requests(run).to_dict("records")
    assert request["beyond_clock_bound"] is told
    assert request["balance_ms"] == pytest.approx(0, abs=NS_MS)


def test_hosts_of_one_machine_have_one_clock_whatever_was_read(tmp_path):
    run = write_run(tmp_path, [Passage()], fleet="local-lab")
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["clocks"]["m1"]["start"]["offset_s"] = 0.004
    (run / "manifest.json").write_text(json.dumps(manifest))
    (request,) = followed_requests(run).to_dict("records")
    assert request["link_there_ms"] == pytest.approx(USUAL_MS["link_there"], abs=1e-5)
    assert request["clock_bound_ms"] == pytest.approx(0.04)


def test_a_port_that_was_used_again_belongs_to_the_nearest(tmp_path):
    passages = [Passage(sent_s=second, worker=n) for n, second in enumerate((5, 20, 60))]
    run = write_run(tmp_path, passages)
    path = run / "c1/memtier-0-followed.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], lines[3]]))  # the second was not answered
    requests = followed_requests(run)
    assert requests["sent_s"].tolist() == pytest.approx([5, 60])
    assert requests["worker"].tolist() == [0, 2]
    path.write_text("".join([lines[0], lines[2]]))
    assert followed_requests(run)["worker"].tolist() == [1]


def test_a_port_that_is_used_for_two_middlewares_belongs_to_each_by_its_generator(tmp_path):
    """Connections of one port to different targets are different ones."""
    run = write_run(tmp_path, [Passage(worker=1)])
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["roles"]["middlewares"].append("m2")
    manifest["targets"] = {"c1": ["m1", "m2"]}
    manifest["instances_per_client"] = 2
    manifest["clocks"]["m2"] = manifest["clocks"]["m1"]
    (run / "manifest.json").write_text(json.dumps(manifest))
    other = write_run(tmp_path / "other", [Passage(worker=2, sent_s=1.0001)])
    (other / "c1/memtier-0-followed.csv").rename(run / "c1/memtier-1-followed.csv")
    (other / "m1").rename(run / "m2")
    requests = followed_requests(run)
    assert requests["instance"].tolist() == [0, 1]
    assert requests["middleware"].tolist() == ["m1", "m2"]
    assert requests["worker"].tolist() == [1, 2]


def test_a_request_that_no_server_was_asked_for_has_no_servers_time(tmp_path):
    run = write_run(tmp_path, [Passage(), Passage(number=1, sent_s=2)])
    path = run / "m1/middleware/followed.csv"
    header, one, other = path.read_text().splitlines()
    other = ",".join([*other.split(",")[:8], "", "", ""])
    path.write_text(f"{header}\n{one}\n{other}\n")
    request = followed_requests(run).iloc[1]
    assert request["servers_time_ms"] == 0
    assert request["slowest_server"] == ""
    assert request["servers"] == ()
    assert request["balance_ms"] == pytest.approx(0, abs=NS_MS)


def test_nothing_in_common_says_how_much_there_was(tmp_path):
    run = write_run(tmp_path, [Passage()])
    path = run / "m1/middleware/followed.csv"
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    with pytest.raises(ValueError, match="1 by generators, 0 by middlewares"):
        followed_requests(run)


def test_a_run_that_followed_nothing_names_the_file(tmp_path):
    run = write_run(tmp_path, [Passage()])
    (run / "m1/middleware/followed.csv").unlink()
    with pytest.raises(ParseError, match=r"followed\.csv: file is missing"):
        followed_requests(run)


def test_clocks_that_were_not_read_are_told(tmp_path):
    run = write_run(tmp_path, [Passage()])
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["clocks"]
    (run / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match="clocks of the run's hosts were not read"):
        followed_requests(run)


def test_compressed_files_and_intended_times(tmp_path):
    run = write_run(tmp_path, [Passage()])
    path = run / "c1/memtier-0-followed.csv"
    header, line = path.read_text().splitlines()
    cells = line.split(",")
    cells[5] = str(int(cells[6]) - 1_500_000)
    path.with_name(f"{path.name}.gz").write_bytes(
        gzip.compress(f"{header}\n{','.join(cells)}\n".encode())
    )
    path.unlink()
    assert followed_requests(run)["intended_ms"].tolist() == pytest.approx([-1.5])
