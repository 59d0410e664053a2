"""Queues of messages in memory, which clients of memcached ask as if they were a middleware."""

import socketserver
import threading
from collections import Counter, defaultdict, deque
from typing import Self

WAITING, PEEK = "*/waiting", "/peek"


class QueueServer(socketserver.ThreadingTCPServer):
    """On a free port of the loopback interface, within a `with`; counts what it was asked.

    Attributes
    ----------
    outcomes : such as ``send``, ``pop hit``, ``pop miss``, ``list hit``, each with its number.
    lengths : of all messages that were sent.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.port: int = self.server_address[1]
        self.outcomes: Counter[str] = Counter()
        self.lengths: set[int] = set()
        self._messages: defaultdict[str, deque[bytes]] = defaultdict(deque)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        super().__exit__(*error)

    def send(self, key: str, body: bytes) -> bytes:
        with self._lock:
            self.outcomes["send"] += 1
            self.lengths.add(len(body))
            self._messages[key].append(body)
        return b"STORED\r\n"

    def find(self, key: str) -> bytes:
        with self._lock:
            operation, found = self._find(key)
            self.outcomes[f"{operation} {'miss' if found is None else 'hit'}"] += 1
        if found is None:
            return b"END\r\n"
        return f"VALUE {key} 0 {len(found)}\r\n".encode() + found + b"\r\nEND\r\n"

    def _find(self, key: str) -> tuple[str, bytes | None]:
        if key.startswith(WAITING):
            receiver = key.removeprefix(WAITING)
            names = [name for name, queue in self._messages.items() if queue]
            names = sorted(name.split("/")[0] for name in names if name.endswith(receiver))
            return "list", "\n".join(names).encode() or None
        queue = self._messages[key.removesuffix(PEEK)]
        if key.endswith(PEEK):
            return "peek", queue[0] if queue else None
        return "pop", queue.popleft() if queue else None


class _Connection(socketserver.StreamRequestHandler):
    server: QueueServer

    def handle(self) -> None:
        for line in self.rfile:
            verb, key, *rest = line.decode().split()
            if verb == "set":
                body = self.rfile.read(int(rest[2]) + 2)[:-2]
                self.wfile.write(self.server.send(key, body))
            else:
                self.wfile.write(self.server.find(key))
