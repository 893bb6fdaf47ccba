"""Roll-ups in a bucket: written by one machine, read by others with caches of their own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import DEMO, KEYS, Asker, Place, amazon, azure, free_port, listed

CATALOG = "team/catalog"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log directory with three captures."""
    folder = tmp_path_factory.mktemp("catalog") / "logs"
    for number in range(3):
        run = folder / f"plugins/profile/run{number}"
        run.mkdir(parents=True)
        source = DEMO / "plugins/profile/demo/vm.xplane.pb.gz"
        shutil.copy(source, run / f"host{number}.xplane.pb.gz")
    return folder


@pytest.fixture(params=["s3", "az"])
def bucket(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """A bucket of each service whose emulator can be written, without captures."""
    empty = tmp_path_factory.mktemp("empty")
    made = amazon(empty) if request.param == "s3" else azure(empty, tmp_path_factory.mktemp("az"))
    with made as place:
        place.url = place.url.replace("/runs", f"/{CATALOG}")
        yield place


@pytest.fixture
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Any]]:
    """A bucket of S3, and a client of it."""
    import boto3

    with amazon(tmp_path_factory.mktemp("empty")) as place:
        place.url = place.url.replace("/runs", f"/{CATALOG}")
        client = boto3.client(
            "s3",
            endpoint_url=place.environment["AWS_ENDPOINT_URL"],
            region_name="us-east-1",
            aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        )
        yield place, client


def machine(folder: Path, name: str) -> Asker:
    (folder / name).mkdir()
    return Asker(folder / name)


def index(ask: Asker, runs: Path, place: Place) -> dict[str, Any]:
    line = ("index", str(runs), "--to", place.url, "--json")
    answer = ask(*line, **place.environment)
    assert answer.returncode == 0, answer.stderr
    told: dict[str, Any] = json.loads(answer.stdout)
    assert told["folder"] == place.url and told["failed"] == []
    return told


def counts(told: dict[str, Any]) -> tuple[int, int, int]:
    return told["made_count"], told["copy_count"], told["unchanged_count"]


def test_what_one_machine_indexed_others_read(
    tmp_path: Path, runs: Path, bucket: Place
) -> None:
    assert counts(index(machine(tmp_path, "a"), runs, bucket)) == (3, 0, 0)
    reading = bucket.environment | {"STEPSCOPE_CATALOG": bucket.url}
    ask, without = machine(tmp_path, "b"), machine(tmp_path, "c")
    assert all(one["step_time_ps"] for one in listed(ask, str(runs), **reading))
    assert not any(one["step_time_ps"] for one in listed(without, str(runs)))
    for line in (
        ("history", str(runs), "--json"),
        ("scaling", str(runs), "--json"),
        ("sql", str(runs), "select session, name, self_ps from ops order by 1, 2, 3", "--csv"),
    ):
        known, opened = ask(*line, **reading), without(*line)
        assert known.returncode == opened.returncode, known.stderr
        assert known.stdout == opened.stdout
        assert not known.stderr or "catalog" not in known.stderr, known.stderr
    kept = list((ask.cache / "catalogs").glob("*/roll-ups/*.rollup"))
    assert len(kept) == 3
    # Nothing is made again, whoever asks.
    assert counts(index(machine(tmp_path, "d"), runs, bucket)) == (0, 0, 3)

    told = ask("index", "--list", "--to", bucket.url, "--json", **bucket.environment)
    assert len(json.loads(told.stdout)) == 3 and "3 roll-ups" in told.stderr
    cleared = ask("index", "--clear", **reading)
    assert cleared.returncode == 0 and "removed 3 roll-ups" in cleared.stderr
    assert not any(one["step_time_ps"] for one in listed(ask, str(runs), **reading))


def test_what_is_damaged_is_made_anew(
    tmp_path: Path, runs: Path, lab: tuple[Place, Any]
) -> None:
    place, client = lab
    index(machine(tmp_path, "a"), runs, place)
    prefix = f"{CATALOG}/roll-ups/"

    def keys() -> list[str]:
        return [one["Key"] for one in client.list_objects_v2(Bucket="lab", Prefix=prefix)["Contents"]]

    def content(key: str) -> bytes:
        read: bytes = client.get_object(Bucket="lab", Key=key)["Body"].read()
        return read

    key = keys()[0]
    whole = content(key)
    client.put_object(Bucket="lab", Key=key, Body=whole[:-1])
    assert counts(index(machine(tmp_path, "b"), runs, place)) == (1, 0, 2)
    assert content(key) == whole and len(keys()) == 3


def test_what_cannot_be_a_catalog_is_refused(
    tmp_path: Path, runs: Path, lab: tuple[Place, Any]
) -> None:
    place, _ = lab
    ask = machine(tmp_path, "a")
    for url in ("https://me:pa55@lab.example/x", "ssh://vm/x"):
        answer = ask("index", str(runs), "--to", url)
        assert answer.returncode == 2 and "s3://BUCKET/PATH" in answer.stderr
        assert "pa55" not in answer.stderr
        # Readers say it and open the sessions.
        answer = ask("history", str(runs), STEPSCOPE_CATALOG=url)
        assert "does not write" in answer.stderr and "pa55" not in answer.stderr
    answer = ask("index", str(runs), "--to", "s3://no-such-lab/x", **place.environment)
    assert answer.returncode == 1
    assert "does not exist" in answer.stderr and "s3://no-such-lab/x" in answer.stderr
    # A bucket that does not answer stops no reader.
    nobody = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}", **KEYS}
    nobody |= {"AWS_REGION": "us-east-1", "STEPSCOPE_CATALOG": place.url}
    answer = ask("sessions", str(runs), "--quick", "--json", **nobody)
    assert answer.returncode == 0 and "did not answer" in answer.stderr
