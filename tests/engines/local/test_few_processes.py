"""Where a user may have no more processes, jobs wait for some to end instead of failing at once."""

from __future__ import annotations

import os
import resource
import socket
import struct
import subprocess

import pytest

from eligo.engines._local.launcher import PROGRAM, Journal

NOBODY = 65534


@pytest.mark.skipif(os.getuid() != 0, reason="only root can run a keeper as another user")
def test_jobs_wait_for_processes(tmp_path):
    journal = Journal(tmp_path / "journal", create=True)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        keeper = subprocess.Popen(
            [PROGRAM, "keep", str(journal.fd), str(theirs.fileno())],
            pass_fds=(journal.fd, theirs.fileno()),
            user=NOBODY,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (3, 3)),  # noqa: PLW1509 - no threads here
        )
        theirs.close()
        for job in range(6):
            words = [f"{job}.1.0.0", "/", "", "/dev/null", "/dev/null", "/dev/null", "1", "sleep", "0.2"]
            data = "".join(f"{word}\0" for word in words).encode()
            ours.sendall(struct.pack("=II", len(data), 2) + data)
    assert keeper.wait(60) == 0
    ends = [record for record in journal.read() if record.kind != "S"]
    journal.close()
    assert sorted((record.key.job, record.kind, record.code) for record in ends) == [(job, "E", 0) for job in range(6)]
