"""Requests a capture from `jax.profiler.start_server`: just enough HTTP/2 to send one gRPC call."""

from __future__ import annotations

import socket
import struct

_DATA, _HEADERS, _SETTINGS, _PING, _WINDOW_UPDATE = 0, 1, 4, 6, 8
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1


def capture(port: int, duration_ms: int) -> bytes:
    """Sends `ProfilerService/Profile` and returns the reply's body after the window has passed."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        # Windows large enough that the reply never waits for us.
        connection.sendall(_frame(_SETTINGS, 0, 0, struct.pack(">HI", 4, 2**31 - 1)))
        connection.sendall(_frame(_WINDOW_UPDATE, 0, 0, struct.pack(">I", 2**31 - 2**16 - 1)))
        connection.sendall(_frame(_HEADERS, _END_HEADERS, 1, _headers(port)))
        message = _request(duration_ms)
        body = b"\0" + struct.pack(">I", len(message)) + message
        connection.sendall(_frame(_DATA, _END_STREAM, 1, body))
        return _reply(connection)


def _request(duration_ms: int) -> bytes:
    """ProfileRequest: options {host level 2, version 1, duration}, emit_xspace."""
    options = bytes([2 << 3, 2, 5 << 3, 1, 9 << 3]) + _varint(duration_ms)
    return bytes([4 << 3 | 2, len(options)]) + options + bytes([9 << 3, 1])


def _headers(port: int) -> bytes:
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": "/tensorflow.ProfilerService/Profile",
        ":authority": f"127.0.0.1:{port}",
        "content-type": "application/grpc",
        "te": "trailers",
    }
    block = b""
    for name, value in fields.items():
        # HPACK: literal, not indexed, new name, no Huffman code; all shorter than 127 bytes.
        block += bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
    return block


def _reply(connection: socket.socket) -> bytes:
    body = b""
    while True:
        head = _exactly(connection, 9)
        length = int.from_bytes(head[:3], "big")
        kind, flags = head[3], head[4]
        stream = int.from_bytes(head[5:], "big")
        content = _exactly(connection, length)
        if kind == _SETTINGS and not flags & _ACK:
            connection.sendall(_frame(_SETTINGS, _ACK, 0, b""))
        elif kind == _PING and not flags & _ACK:
            connection.sendall(_frame(_PING, _ACK, 0, content))
        elif kind == _DATA:
            body += content
        if stream == 1 and flags & _END_STREAM and kind in (_DATA, _HEADERS):
            return body


def _frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    return (
        len(content).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + content
    )


def _exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        part = connection.recv(count - len(found))
        if not part:
            raise ConnectionError("the server closed the connection")
        found += part
    return found


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes(found + bytes([number]))
