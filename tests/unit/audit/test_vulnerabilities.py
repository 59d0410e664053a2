"""What is known against packages is told, and that nobody could be asked is no all-clear."""

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from audit import __main__ as audit
from audit import vulnerabilities
from audit.package import Package
from audit.vulnerabilities import NotLookedUp

GOOD = Package(kind="maven", name="org.example/good", version="1", use="jar")
BAD = Package(kind="npm", name="bad", version="2", use="tests")


@pytest.fixture
def osv():
    """Something that answers as OSV does: one package is known for two reasons."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
            assert len(asked) <= vulnerabilities.MOST_QUERIES
            bad = {"vulns": [{"id": "GHSA-1", "modified": "2026"}, {"id": "CVE-2"}]}
            results = [bad if q["package"]["purl"] == BAD.url else {} for q in asked]
            body = json.dumps({"results": results[: self.server.most]}).encode()
            self.send_response(self.server.status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.status, server.most = 200, None
        server.url = f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_osv_tells_what_is_known_by_package(osv):
    assert vulnerabilities.of_others([GOOD, BAD], osv.url) == {BAD.url: ["GHSA-1", "CVE-2"]}


def test_osv_is_asked_in_parts(osv, monkeypatch):
    monkeypatch.setattr(vulnerabilities, "MOST_QUERIES", 1)
    assert set(vulnerabilities.of_others([GOOD, BAD], osv.url)) == {BAD.url}


@pytest.mark.parametrize(("status", "most"), [(500, None), (200, 1), (200, 0)])
def test_an_answer_that_is_none_is_no_all_clear(osv, status, most):
    osv.status, osv.most = status, most
    with pytest.raises(NotLookedUp, match=r"127\.0\.0\.1"):
        vulnerabilities.of_others([GOOD, BAD], osv.url)


def test_a_service_that_is_not_there_is_no_all_clear():
    with pytest.raises(NotLookedUp, match="Connection refused"):
        vulnerabilities.of_others([GOOD], "http://127.0.0.1:9/")


@pytest.fixture
def pip_audit(monkeypatch):
    """What pip-audit prints."""

    def says(stdout: str, stderr: str = "") -> None:
        done = subprocess.CompletedProcess([], 1, stdout, stderr)
        monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)

    return says


def test_pip_audit_tells_what_is_known_by_package(pip_audit):
    packages = [
        {"name": "good", "version": "1", "vulns": []},
        {"name": "Bad_one", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]},
    ]
    pip_audit(json.dumps({"dependencies": packages, "fixes": []}))
    assert vulnerabilities.of_python([]) == {"pkg:pypi/bad-one@2": ["PYSEC-1"]}


@pytest.mark.parametrize(
    ("stdout", "stderr", "told"),
    [
        ("", "Traceback\nConnectionError: no route\n", "ConnectionError: no route"),
        ("", "", "it says nothing"),
        ('{"dependencies": [{"name": "ours", "skip_reason": "unknown"}]}', "", "1 of 1 .* unknown"),
    ],
)
def test_pip_audit_that_cannot_ask_is_no_all_clear(pip_audit, stdout, stderr, told):
    pip_audit(stdout, stderr)
    with pytest.raises(NotLookedUp, match=told):
        vulnerabilities.of_python([])


def test_pip_audit_tells_what_it_knows_beside_what_it_left_out(pip_audit):
    bad = {"name": "bad", "version": "2", "vulns": [{"id": "PYSEC-1"}]}
    pip_audit(json.dumps({"dependencies": [bad, {"name": "ours", "skip_reason": "unknown"}]}))
    with pytest.raises(NotLookedUp) as raised:
        vulnerabilities.of_python([])
    assert raised.value.known == {"pkg:pypi/bad@2": ["PYSEC-1"]}


def not_looked_up(*_):
    raise NotLookedUp("no route")


@pytest.mark.parametrize(
    ("of_python", "of_others", "status", "told", "column"),
    [
        (lambda _: {}, lambda _: {}, 0, "No vulnerabilities are known", ""),
        (lambda _: {}, lambda _: {BAD.url: ["CVE-2"]}, 1, "VULNERABLE: pkg:npm/bad@2", "CVE-2"),
        (lambda _: {}, not_looked_up, 3, "NOT LOOKED UP", "not looked up"),
        (not_looked_up, lambda _: {BAD.url: ["CVE-2"]}, 1, "NOT LOOKED UP", "CVE-2"),
    ],
)
def test_the_exit_status_tells_what_is_known(
    tmp_path, monkeypatch, capsys, of_python, of_others, status, told, column
):
    monkeypatch.setattr(audit, "PROJECT", tmp_path)
    monkeypatch.setattr(audit, "FOLDER", tmp_path)
    monkeypatch.setattr(audit, "everything", lambda: [GOOD, BAD])
    monkeypatch.setattr(vulnerabilities, "of_python", of_python)
    monkeypatch.setattr(vulnerabilities, "of_others", of_others)
    assert audit.main() == status
    said = "".join(capsys.readouterr())
    assert told in said
    assert ("No vulnerabilities are known" in said) == (status == 0)
    last = (tmp_path / "packages.csv").read_text("utf-8").splitlines()[-1]
    assert last == f"npm,bad,2,tests,not known here,{column}"
