"""The shell script that starts a job on its host; pure.

A job named ``memtier-0`` in folder ``run`` leaves these files there: ``memtier-0.out`` and
``memtier-0.err`` (its streams), ``memtier-0.pid`` (the process to signal), ``memtier-0.sid`` (its
session and process group) and, when it has ended, ``memtier-0.exit`` (its exit status). It holds a
lock on ``memtier-0.lock`` for as long as it runs, so that others wait for its end without asking
again and again. ``memtier-0.in`` is the pipe that it reads, if it reads any. `timeout` on the host
keeps its hard time limit, so that it ends even if the control host dies.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

JOB_MARK = "MWLAB_JOB"
"""Environment variable by which our own processes are known; it holds folder and name."""

FOLDER_MARK = ".middleware-lab"
"""File that a folder of jobs has from its first moment; without it no folder is removed."""

KILL_AFTER_S = 30
"""What a job has to end by itself before it is killed: on a slow host a JVM took 12 s."""

PROBE_BYTES = 65536
_SPACE = " " * 10  # see `_reserve`
_LOCK = 9  # the file descriptor of the lock; the job's own programs do not have it


@dataclass(frozen=True)
class Task:
    """A program that is to run as a job.

    Parameters
    ----------
    name : of the job and its files, in its folder.
    command : of the program, for a shell.
    reads_input : its standard input is a pipe, to which lines may be written while it runs.
    user : account that root becomes for `command` alone, without further rights. It may write files
        into the job's folder, and replace none of ours there. None to keep the account.
    """

    name: str
    command: str
    reads_input: bool = False
    user: str | None = None


def start_script(folder: str, task: Task, limit_s: float) -> str:
    """Return the shell script that starts `task` in `folder`; the host ends it after `limit_s`."""
    name = task.name
    become, open_folder = _becoming(task.user) if task.user else ("", "")
    suffixes = ("pid", "sid", "out", "err", "exit", "lock", "in")
    quoted = {k: shlex.quote(f"{name}.{k}") for k in suffixes}
    numbers = [quoted[k] for k in ("pid", "sid", "exit")]
    source = f"<> {quoted['in']}" if task.reads_input else "< /dev/null"
    pipe = f"&& rm -f {quoted['in']} && mkfifo {quoted['in']} " if task.reads_input else ""
    inner = (
        f"{_tell('$$', quoted['pid'])} "
        f"&& exec timeout --foreground --kill-after={KILL_AFTER_S} {limit_s:.0f} "
        f"{become}{task.command}"
    )
    outer = (
        f"exec {_LOCK}<> {quoted['lock']}; flock {_LOCK}; {_tell('$$', quoted['sid'])} "
        f"&& sh -c {shlex.quote(inner)} > {quoted['out']} 2> {quoted['err']} {source} {_LOCK}>&-; "
        f"{_tell('$?', quoted['exit'])}"
    )
    mark = f"{JOB_MARK}={shlex.quote(f'{folder}/{name}')}"
    return (
        f"{claim(folder)} && cd {shlex.quote(folder)} {open_folder}"
        f"&& head -c {PROBE_BYTES} /dev/zero > {quoted['out']} "  # a full disk shows here
        f"&& {' && '.join(map(_reserve, numbers))} && rm -f {' '.join(numbers)} "
        f"&& : > {quoted['lock']} {pipe}"
        f"&& {mark} setsid -f sh -c {shlex.quote(outer)} < /dev/null > /dev/null 2>&1 "
        f"&& until [ -f {quoted['pid']} ] || [ -f {quoted['exit']} ]; do sleep 0.01; done"
    )


def claim(folder: str) -> str:
    """Return the command that makes a folder of ours, or fails where others keep files there."""
    path, mark = shlex.quote(folder), shlex.quote(f"{folder}/{FOLDER_MARK}")
    others = shlex.quote(
        f"{folder} holds files that are not middleware-lab's: move them, or set mwlab_work_dir"
    )
    return (
        f'mkdir -p {path} && {{ [ -e {mark} ] || [ -z "$(ls -A {path})" ] || [ -e {mark} ] '
        f"|| {{ echo {others} >&2; exit 1; }}; }} && : > {mark}"
    )


def _becoming(user: str) -> tuple[str, str]:
    """Return what runs a command as `user`, and what lets that user write into the current folder.

    In a folder with the sticky bit nobody replaces the files of others, and the kernel follows no
    symbolic link of another user there.
    """
    quoted = shlex.quote(user)
    become = f'setpriv --reuid={quoted} --regid="$(id -g {quoted})" --clear-groups --no-new-privs '
    return become, "&& chmod 1777 . "


def _reserve(file: str) -> str:
    """Return the command that reserves disk space for a number which `_tell` will write.

    A job whose number found no place could neither be ended nor recognized; the disk may fill up.
    """
    return f"env echo '{_SPACE}' > {file}.part"  # the shell's own would not say why it cannot


def _tell(number: str, file: str) -> str:
    """Return the command that writes `number` over the space that is reserved for `file`."""
    return f"echo {number} 1<> {file}.part && mv {file}.part {file}"
