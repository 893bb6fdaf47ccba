"""`start_server`: the checks that jax lacks, with jax's own server."""

from __future__ import annotations

import socket

import pytest

import stepscope
from stepscope import Profiler, start_server


def test_a_free_port_a_taken_one_and_another_server(capsys: pytest.CaptureFixture[str]) -> None:
    with start_server(0) as server:
        assert server.port > 0
        assert server.address == f"{socket.gethostname()}:{server.port}"
        socket.create_connection(("localhost", server.port), timeout=5).close()
        assert f"stepscope capture {server.address}" in capsys.readouterr().err
        with pytest.raises(stepscope.CaptureError, match=f"in this process, on port {server.port}"):
            start_server(0)
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        with pytest.raises(stepscope.CaptureError, match=f"Port {port} is taken"):
            start_server(port)
    with pytest.raises(stepscope.CaptureError, match="0 to 65535"):
        start_server(70_000)
    profiler = Profiler(1, start_step=-1)
    with start_server(0, profiler=profiler, quiet=True) as server:
        assert server.profiler is profiler


def test_a_server_that_jax_started_is_not_touched() -> None:
    import jax

    with start_server(0, quiet=True) as server:
        port = server.port
    jax.profiler.start_server(port)
    try:
        with pytest.raises(stepscope.CaptureError, match="jax refused"):
            start_server(0)
    finally:
        jax.profiler.stop_server()
