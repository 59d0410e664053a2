"""iperf3 between pairs of hosts: in rounds, or all at the same time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from functools import partial

from records.manifest_entries import JobOutcome
from remote.experiment.sessions.pairs import Pair
from remote.experiment.storing import Collected
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.inventory import Host
from remote.hosts.jobs import RunningJobs, Task, remove_job_folder, require_free_ports
from remote.services import iperf

MARGIN_S = 20.0


class Bandwidths:
    """Measures the bandwidth from the first to the second host of pairs.

    Parameters
    ----------
    folder : name of the job folder on the hosts.
    seconds, omit_s : length of each test, and of what precedes it and does not count.
    """

    def __init__(self, fleet: Fleet, folder: str, *, seconds: int, omit_s: int) -> None:
        self.fleet = fleet
        self.folder = folder
        self.seconds = seconds
        self.omit_s = omit_s

    def in_rounds(self, rounds: Sequence[Sequence[Pair]], collected: Collected) -> None:
        """Measure one round after the other and add their files to `collected`.

        The pairs of a round are measured at the same time, each with a receiver of its own.
        """
        receivers = list(dict.fromkeys(receiver for pairs in rounds for _, receiver in pairs))
        with RunningJobs(self.fleet, self.folder) as jobs:
            self._serve(jobs, [(receiver, iperf.PORT) for receiver in receivers], len(rounds))
            for pairs in rounds:
                self._send_all([(*pair, iperf.PORT) for pair in pairs], collected)
        self._forget(receivers)

    def parallel(self, pairs: Sequence[Pair], collected: Collected) -> None:
        """Measure all pairs at the same time and add their files to `collected`."""
        streams: Counter[str] = Counter()
        ports = []
        for _, receiver in pairs:
            ports.append(iperf.PORT + streams[receiver.name])
            streams[receiver.name] += 1
        served = [(receiver, port) for (_, receiver), port in zip(pairs, ports, strict=True)]
        with RunningJobs(self.fleet, self.folder) as jobs:
            self._serve(jobs, served, 1)
            sent = [(*pair, port) for pair, port in zip(pairs, ports, strict=True)]
            self._send_all(sent, collected)
        self._forget([receiver for _, receiver in pairs])

    def _serve(self, jobs: RunningJobs, served: Sequence[tuple[Host, int]], tests: int) -> None:
        limit_s = tests * (self.seconds + self.omit_s + 1) + MARGIN_S

        def serve(receiver: Host, port: int) -> None:
            require_free_ports(self.fleet[receiver], port)
            command = iperf.server_command(receiver.data_address, port=port)
            job = jobs.start(receiver, Task(f"iperf3-{port}", command), limit_s=limit_s)
            job.wait_for_line(iperf.READY_LINE, timeout_s=MARGIN_S)

        in_parallel({f"{h.name}:{port}": partial(serve, h, port) for h, port in served})

    def _send_all(self, sent: Sequence[tuple[Host, Host, int]], collected: Collected) -> None:
        in_parallel(
            {
                f"{sender.name}-{receiver.name}": partial(
                    self._send, sender, receiver, port, collected
                )
                for sender, receiver, port in sent
            }
        )

    def _send(self, sender: Host, receiver: Host, port: int, collected: Collected) -> None:
        command = iperf.client_command(
            receiver.data_address, seconds=self.seconds, omit_s=self.omit_s, port=port
        )
        started_at_s = time.time()
        timeout_s = self.seconds + self.omit_s + MARGIN_S
        result = self.fleet[sender].run(command, timeout_s=timeout_s)
        name = f"iperf3-{receiver.name}"
        collected.files[f"{sender.name}/{name}.json"] = result.stdout.encode()
        outcome = JobOutcome(
            host=sender.name,
            name=name,
            command=command,
            exit_status=result.exit_status,
            started_at_s=started_at_s,
            seconds=time.time() - started_at_s,
        )
        collected.manifest.jobs.append(outcome)

    def _forget(self, hosts: Sequence[Host]) -> None:
        self.fleet.for_each(set(hosts), lambda c: remove_job_folder(c, self.folder))
