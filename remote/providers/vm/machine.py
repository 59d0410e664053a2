"""One machine of the fleet: its size, how QEMU starts it, the disk that makes it itself. Pure."""

from __future__ import annotations

import io
import ipaddress
import tarfile
from dataclasses import dataclass
from pathlib import Path

from remote.providers.vm.image import INITRD, KERNEL, ROOT_DISK

NETWORK = ipaddress.IPv4Network("198.19.77.0/24")
BRIDGE_ADDRESS = "198.19.77.1"
USER = "lab"
HOME = f"/home/{USER}"
_USER_ID = 1000  # the first that Debian gives
_FIRST_NUMBERS = {"clients": 11, "middlewares": 21, "servers": 31}  # as in the local lab
_NICE = 10  # a lab of virtual machines leaves this machine to whoever works on it
# Without hardware's help nothing has to be guarded from guesses of the processor.
_KERNEL_OPTIONS = "root=/dev/vda rw console=ttyS0 net.ifnames=0 mitigations=off"
_WITHOUT_CLOUD_INIT = "cloud-init=disabled"
_WITH_CLOUD_INIT = "ds=nocloud"


@dataclass(frozen=True, kw_only=True)
class VirtualMachine:
    """One virtual machine.

    Parameters
    ----------
    number : which one of its role it is, from 0; its address follows from it.
    delay_ms : by which `netem` delays every packet that leaves it.
    user_data : what cloud-init is told at its first boot; nothing if it is not to run.
    """

    name: str
    role: str
    number: int = 0
    memory_mib: int = 384
    delay_ms: float = 2.0
    user_data: str = ""

    def __post_init__(self) -> None:
        if self.memory_mib < 256:
            raise ValueError(f"{self.name}: a JVM and Debian need 256 MiB, not {self.memory_mib}")

    @property
    def address(self) -> str:
        """Address on the bridge."""
        return str(NETWORK[self._in_network])

    @property
    def tap(self) -> str:
        """Name of the device that is its cable: without it, it has no link."""
        return f"tap-{self.name}"

    @property
    def _in_network(self) -> int:
        return _FIRST_NUMBERS[self.role] + self.number

    def qemu_command(self, image: Path, folder: Path) -> list[str]:
        """Return the command that boots it from the built `image` and leaves it running.

        Its writes go to a file without a name, which ends with it. QEMU emulates the processor:
        hardware's help (KVM) is not available everywhere. Console and pid go to the fleet's
        `folder`.
        """
        cloud = _WITH_CLOUD_INIT if self.user_data else _WITHOUT_CLOUD_INIT
        options = {
            "name": self.name,
            "machine": "q35",
            "accel": "tcg,tb-size=256",
            "cpu": "max",
            "smp": "1",
            "m": str(self.memory_mib),
            "display": "none",
            "monitor": "none",
            "serial": f"file:{self.console(folder)}",
            "pidfile": str(self.pid_file(folder)),
            "kernel": str(image / KERNEL),
            "initrd": str(image / INITRD),
            "append": f"{_KERNEL_OPTIONS} systemd.hostname={self.name} {cloud}",
        }
        words = ["nice", "-n", str(_NICE), "qemu-system-x86_64", "-daemonize", "-nodefaults"]
        for option, value in options.items():
            words += [f"-{option}", value]
        root = f"file={image / ROOT_DISK},format=raw,if=virtio,snapshot=on,cache=unsafe"
        words += ["-drive", root]
        words += ["-drive", f"file={self.seed(folder)},format=raw,if=virtio,readonly=on"]
        words += ["-netdev", f"tap,id=net,ifname={self.tap},script=no,downscript=no"]
        mac = f"52:54:00:00:77:{self._in_network:02x}"
        words += ["-device", f"virtio-net-pci,netdev=net,mac={mac},romfile="]
        return [*words, "-device", "virtio-rng-pci"]

    def console(self, folder: Path) -> Path:
        """Return the file with what it has written to its console."""
        return folder / f"{self.name}.console"

    def pid_file(self, folder: Path) -> Path:
        """Return the file with the number of its process."""
        return folder / f"{self.name}.pid"

    def seed(self, folder: Path) -> Path:
        """Return the file of its second disk."""
        return folder / f"{self.name}.tar"

    def seed_tar(self, *, user_key: str, host_key: str) -> bytes:
        """Return the archive on its second disk, which it unpacks whenever it boots.

        Parameters
        ----------
        user_key : public key of who may log in, a line of authorized_keys.
        """
        files = {
            "etc/hosts": f"127.0.0.1 localhost\n{self.address} {self.name}\n",
            "etc/systemd/network/10-lab.network": self._network_file(),
            "etc/chrony/chrony.conf": _CHRONY,
        }
        if self.user_data:
            seed = "var/lib/cloud/seed/nocloud"
            files[f"{seed}/user-data"] = self.user_data
            files[f"{seed}/meta-data"] = f"instance-id: {self.name}\nlocal-hostname: {self.name}\n"
        written = io.BytesIO()
        with tarfile.open(fileobj=written, mode="w") as tar:
            for path, text in files.items():
                _add(tar, path, text)
            _add(tar, "etc/ssh/ssh_host_ed25519_key", host_key, mode=0o600)
            keys = tarfile.TarInfo(f"{HOME[1:]}/.ssh")
            keys.type, keys.mode, keys.uid, keys.gid = tarfile.DIRTYPE, 0o700, _USER_ID, _USER_ID
            tar.addfile(keys)
            _add(tar, f"{keys.name}/authorized_keys", user_key, mode=0o600, owner=_USER_ID)
        return written.getvalue()

    def _network_file(self) -> str:
        """Return its systemd.network(5): the address, and netem, which a reboot brings again."""
        return (
            f"[Match]\nName=eth0\n[Network]\nAddress={self.address}/{NETWORK.prefixlen}\n"
            f"[NetworkEmulator]\nDelaySec={self.delay_ms:g}ms\nPacketLimit=10000\n"
        )


# An emulated processor loses time: it is asked for every few seconds, and set at once.
_CHRONY = f"""\
server {BRIDGE_ADDRESS} iburst minpoll 0 maxpoll 2
makestep 0.05 -1
"""


def _add(tar: tarfile.TarFile, path: str, text: str, *, mode: int = 0o644, owner: int = 0) -> None:
    data = text.encode()
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode, entry.uid, entry.gid = len(data), mode, owner, owner
    tar.addfile(entry, io.BytesIO(data))
