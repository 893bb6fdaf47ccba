"""Fixtures of the remote tests: real servers on loopback, and the command under test.

Each server is started by the test run on a free port, filled with the same log directory, and ended
with it. The command is that of the installed package, or the program in STEPSCOPE_BIN.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ports import free_port
from profiles import tpu_profile

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "fixtures/demo-gpt-cpu"
RIEGELI = ROOT / "fixtures/riegeli-cpu/riegeli"
SCRIPTS = Path(sysconfig.get_path("scripts"))
COMMAND = os.environ.get("STEPSCOPE_BIN") or str(SCRIPTS / "stepscope")
# Installed by `cargo xtask test`; STEPSCOPE_AZURITE names another.
AZURITE = os.environ.get("STEPSCOPE_AZURITE") or str(
    ROOT / "target/azurite/node_modules/azurite/dist/src/blob/main.js"
)
# Bytes of a profile that is fetched in several ranges.
LARGE_BYTES = 20 << 20


@dataclass
class Place:
    """A server that holds the log directory."""

    url: str
    environment: dict[str, str]
    process: subprocess.Popen[bytes]
    # Puts a file there, by its path below the log directory.
    put: Callable[[str, bytes], None] = field(default=lambda _name, _content: None)

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


def clean_environment(cache: Path, more: dict[str, str]) -> dict[str, str]:
    """The environment without credentials, settings, or caches of the user."""
    prefixes = ("AWS_", "GOOGLE_", "AZURE_", "CLOUDSDK_", "STEPSCOPE_", "STORAGE_", "AZURITE_")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(prefixes)
    }
    environment |= {
        "STEPSCOPE_CACHE_DIR": str(cache),
        "AWS_EC2_METADATA_DISABLED": "true",
        "HOME": str(cache.parent),
        "NO_COLOR": "1",
    }
    return environment | more


class Asker:
    """Runs the command with a separate cache."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"

    def environment(self, **more: str) -> dict[str, str]:
        return clean_environment(self.cache, more)

    def __call__(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *arguments],
            capture_output=True,
            text=True,
            timeout=100,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
        )

    def kept(self) -> list[Path]:
        """Files in the cache."""
        return sorted(self.cache.glob("v1/objects/*/data"))


def listed(ask: Asker, path: str, **more: str) -> list[dict[str, Any]]:
    """The sessions that the command lists without opening any."""
    answer = ask("sessions", path, "--quick", "--json", **more)
    assert answer.returncode == 0, answer.stderr
    sessions: list[dict[str, Any]] = json.loads(answer.stdout)["sessions"]
    return sessions


@contextmanager
def pages(ask: Asker, place: Place) -> Iterator[Callable[[str], Any]]:
    """The server for a location, as a function from a route to its JSON."""
    child = subprocess.Popen(
        [COMMAND, "view", place.url, "--child", "--port", "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=ask.environment(**place.environment),
    )
    assert child.stdin and child.stdout
    told = json.loads(child.stdout.readline())

    def get(route: str) -> Any:
        asked = urllib.request.Request(f"http://127.0.0.1:{told['port']}{route}")
        asked.add_header("Authorization", f"Bearer {told['token']}")
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)

    yield get
    child.stdin.close()
    assert child.wait(timeout=20) == 0, "it ends when its input does"


@pytest.fixture
def ask(tmp_path: Path) -> Asker:
    return Asker(tmp_path)


@pytest.fixture(scope="session")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A typical log directory: runs, two of them with several ranges, and other files."""
    folder = tmp_path_factory.mktemp("far") / "logs"
    source = DEMO / "plugins/profile/demo/vm.xplane.pb.gz"
    first = folder / "plugins/profile/2026_01_01_10_00_00"
    second = folder / "train/plugins/profile/2026_01_02_10_00_00"
    for run in (first, second):
        run.mkdir(parents=True)
    shutil.copy(source, first / "host-0.xplane.pb.gz")
    # Profiles are messages with repeated fields, so concatenated profiles are a profile as well.
    once = gzip.decompress(source.read_bytes())
    (second / "big host.xplane.pb").write_bytes(once * (LARGE_BYTES // len(once) + 1))
    third = folder / "tpu/plugins/profile/2026_01_03_10_00_00"
    third.mkdir(parents=True)
    (third / "vm.xplane.pb").write_bytes(tpu_profile(LARGE_BYTES))
    records = folder / "records/plugins/profile/2025_12_31_10_00_00"
    records.mkdir(parents=True)
    shutil.copy(RIEGELI / "plugins/profile/riegeli/vm.xplane.riegeli", records)
    shutil.copy(DEMO / "memory.prof", folder / "memory.prof")
    (folder / "events.out.tfevents.1.host").write_bytes(b"scalars")
    (folder / "checkpoints").mkdir()
    for number in range(20):
        (folder / f"checkpoints/{number}.bin").write_bytes(b"weights")
    return folder


def files_of(folder: Path) -> list[tuple[str, bytes]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files]


def await_port(port: int, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        assert process.poll() is None, f"the server ended with {process.returncode}"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server does not listen")


@contextmanager
def server(line: list[str], port: int, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        line,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | more,
    )
    try:
        await_port(port, process)
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=20)


def request(method: str, url: str, body: bytes | None = None) -> bytes:
    asked = urllib.request.Request(url, data=body, method=method)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        content: bytes = answer.read()
        return content


KEYS = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "secret"}


@contextmanager
def bucket_server(logdir: Path, access: str) -> Iterator[Place]:
    """An S3-compatible server, with the log directory in a bucket. `access` says
    who may read the files: `private` or `public-read`."""
    import boto3

    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    line = [str(SCRIPTS / "moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    with server(line, port, **KEYS, AWS_DEFAULT_REGION="us-east-1") as process:
        client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="AKIATEST",
            aws_secret_access_key="secret",
        )
        client.create_bucket(Bucket="lab")

        def put(name: str, content: bytes) -> None:
            client.put_object(Bucket="lab", Key=f"runs/{name}", Body=content, ACL=access)

        for name, content in files_of(logdir):
            put(name, content)
        yield Place(endpoint, {}, process, put)


@contextmanager
def amazon(logdir: Path) -> Iterator[Place]:
    with bucket_server(logdir, "private") as place:
        environment = {"AWS_ENDPOINT_URL": place.url, "AWS_REGION": "us-east-1", **KEYS}
        yield Place("s3://lab/runs", environment, place.process, place.put)


@contextmanager
def google(logdir: Path) -> Iterator[Place]:
    """A public bucket: Google's XML API is that of S3, but for the signatures."""
    with bucket_server(logdir, "public-read") as place:
        environment = {"STORAGE_EMULATOR_HOST": place.url.removeprefix("http://")}
        yield Place("gs://lab/runs", environment, place.process, place.put)


@contextmanager
def azure(logdir: Path, folder: Path) -> Iterator[Place]:
    from azure.storage.blob import BlobServiceClient

    port = free_port()
    line = ["node", AZURITE, "--silent", "--skipApiVersionCheck", "--location", str(folder)]
    line += ["--blobHost", "127.0.0.1", "--blobPort", str(port)]
    # The account that every emulator of Azure has; its key is published.
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
    endpoint = f"http://127.0.0.1:{port}/devstoreaccount1"
    with server(line, port) as process:
        connection = f"AccountName=devstoreaccount1;AccountKey={key};BlobEndpoint={endpoint}"
        container = BlobServiceClient.from_connection_string(connection).create_container("lab")

        def put(name: str, content: bytes) -> None:
            container.upload_blob(f"runs/{name}", content, overwrite=True)

        for name, content in files_of(logdir):
            put(name, content)
        environment = {"AZURITE_BLOB_STORAGE_URL": f"http://127.0.0.1:{port}"}
        yield Place("az://lab/runs", environment, process, put)


@contextmanager
def web(logdir: Path, module: str) -> Iterator[Place]:
    port = free_port()
    line = [sys.executable, "-m", module, str(port), "--bind", "127.0.0.1"]
    environment = dict(os.environ)
    process = subprocess.Popen(
        line,
        cwd=logdir,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        await_port(port, process)
        yield Place(f"http://127.0.0.1:{port}", {}, process)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=20)


@pytest.fixture(scope="session", params=["s3", "gs", "az", "ranges", "no-ranges"])
def place(
    request: pytest.FixtureRequest, logdir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """The log directory in a bucket of each service, and on web servers with and without ranges."""
    made = {
        "s3": lambda: amazon(logdir),
        "gs": lambda: google(logdir),
        "az": lambda: azure(logdir, tmp_path_factory.mktemp("azurite")),
        "ranges": lambda: web(logdir, "RangeHTTPServer"),
        "no-ranges": lambda: web(logdir, "http.server"),
    }[request.param]
    with made() as held:
        yield held
