"""Ports for the servers that tests start."""

from __future__ import annotations

import secrets
import socket


def free_port() -> int:
    """A port that nothing listens on.

    It lies below the range from which systems take ports for outgoing connections: one of those
    could take it before the server that it is for listens.
    """
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
