"""Machines reached over ssh: a real sshd on loopback, with its own keys, port, and configuration."""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import COMMAND, Asker, await_port
from ports import free_port

pytestmark = pytest.mark.skipif(os.name == "nt", reason="sshd as Debian has it")

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


@dataclass
class Machine:
    """An sshd, and how a client reaches it."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    # On the PATH of the remote machine.
    programs: Path

    def ssh(self) -> str:
        return f"ssh -F {self.folder}/config"

    def install(self) -> None:
        (self.programs / "stepscope").symlink_to(Path(COMMAND).resolve())

    def remove(self) -> None:
        (self.programs / "stepscope").unlink(missing_ok=True)

    def sessions(self) -> list[int]:
        """Processes that serve one connection each."""
        return children(self.process.pid)


def children(parent: int) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (OSError, IndexError):
            continue
        if folder.name.isdigit() and int(fields[1]) == parent:
            found.append(int(folder.name))
    return found


def command_lines() -> list[str]:
    lines = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                lines.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except (OSError, UnicodeDecodeError):
                continue
    return lines


def key(path: Path) -> None:
    line = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)]
    subprocess.run(line, check=True, stdin=subprocess.DEVNULL)


def start(folder: Path, *options: str) -> Machine:
    assert SSHD, "sshd is missing: Debian's openssh-server has it"
    port = free_port()
    programs = folder / "bin"
    programs.mkdir(parents=True)
    key(folder / "host_key")
    key(folder / "user_key")
    shutil.copy(folder / "user_key.pub", folder / "authorized_keys")
    host_key = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
    lines = [
        f"Port {port}",
        "ListenAddress 127.0.0.1",
        f"HostKey {folder}/host_key",
        f"AuthorizedKeysFile {folder}/authorized_keys",
        f"PidFile {folder}/pid",
        "UsePAM no",
        "StrictModes no",
        "PasswordAuthentication no",
        f"SetEnv PATH={programs}:/usr/bin:/bin STEPSCOPE_CACHE_DIR={folder}/cache-there",
        *options,
    ]
    (folder / "sshd_config").write_text("\n".join(lines) + "\n")
    client = [
        "Host vm",
        "HostName 127.0.0.1",
        f"Port {port}",
        f"User {getpass.getuser()}",
        f"IdentityFile {folder}/user_key",
        "IdentitiesOnly yes",
        f"UserKnownHostsFile {folder}/known_hosts",
        "StrictHostKeyChecking yes",
    ]
    (folder / "config").write_text("\n".join(client) + "\n")
    if os.geteuid() == 0:
        # Where sshd confines itself before authentication.
        Path("/run/sshd").mkdir(exist_ok=True)
    line = [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")]
    log = (folder / "log").open("wb")
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    await_port(port, process)
    return Machine(folder, port, process, programs)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    made = start(tmp_path_factory.mktemp("sshd"))
    yield made
    made.process.terminate()
    made.process.wait(timeout=20)


@dataclass
class View:
    """A running `stepscope view`."""

    process: subprocess.Popen[str]
    url: str
    said: str

    def get(self, path: str) -> Any:
        base, _, token = self.url.partition("/?token=")
        asked = urllib.request.Request(f"{base}{path}")
        asked.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return json.load(answer)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=20)


def view(ask: Asker, line: list[str], **more: str) -> View:
    process = subprocess.Popen(
        [COMMAND, *line],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=ask.environment(**more),
    )
    said = ""
    assert process.stdout
    for text in process.stdout:
        said += text
        match = re.search(r"http://127\.0\.0\.1:\d+\S*", text)
        if match:
            return View(process, match[0], said)
    raise AssertionError(f"no address, exit code {process.wait()}:\n{said}")


def gone(mark: str) -> bool:
    """Whether no process has this in its command line, after a while."""
    for _ in range(100):
        if not any(mark in line and "--child" in line for line in command_lines()):
            return True
        time.sleep(0.1)
    return False


def test_the_engine_runs_there_and_its_pages_are_here(
    ask: Asker, machine: Machine, logdir: Path
) -> None:
    machine.install()
    line = ["view", f"ssh://vm{logdir}", "--port", "0"]
    shown = view(ask, line, STEPSCOPE_SSH=machine.ssh())
    try:
        sessions = shown.get("/api/sessions")
        assert sessions["root"] == str(logdir), "read where it lies"
        report = shown.get(f"/api/sessions/{sessions['sessions'][0]['id']}/analyses/overview")
        assert report
        token = shown.url.partition("token=")[2]
        assert len(token) == 32
        assert not any(token in line for line in command_lines()), "others see command lines"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(shown.url.partition("?")[0] + "api/sessions", timeout=10)
        assert len(machine.sessions()) == 1, "one connection"
        assert not ask.kept(), "nothing is fetched"
    finally:
        code = shown.stop()
    assert code == 0
    assert gone(f"view {logdir}"), "it ends there too"


def test_it_ends_there_when_this_end_is_killed(ask: Asker, machine: Machine, logdir: Path) -> None:
    machine.install() if not (machine.programs / "stepscope").exists() else None
    line = ["view", f"ssh://vm{logdir}", "--port", "0"]
    shown = view(ask, line, STEPSCOPE_SSH=machine.ssh())
    shown.process.kill()
    shown.process.wait()
    assert gone(f"view {logdir}")


def test_a_broken_connection_is_made_again(ask: Asker, machine: Machine, logdir: Path) -> None:
    machine.install() if not (machine.programs / "stepscope").exists() else None
    line = ["view", f"ssh://vm{logdir}", "--port", "0"]
    shown = view(ask, line, STEPSCOPE_SSH=machine.ssh())
    try:
        assert shown.get("/api/version")
        for session in machine.sessions():
            os.kill(session, signal.SIGKILL)
        answer = None
        for _ in range(150):
            try:
                answer = shown.get("/api/version")
                break
            except (OSError, urllib.error.URLError):
                time.sleep(0.1)
        assert answer, "the same address answers again, with the same token"
    finally:
        assert shown.stop() == 0
    assert shown.process.stdout
    said = shown.process.stdout.read()
    assert "lost the connection" in said and "reconnected" in said
    assert gone(f"view {logdir}")


def test_without_an_engine_there_files_are_fetched(
    ask: Asker, machine: Machine, logdir: Path
) -> None:
    machine.remove()
    line = ["view", f"ssh://vm{logdir}", "--port", "0", "--no-report"]
    shown = view(ask, line, STEPSCOPE_SSH=machine.ssh())
    try:
        assert "not installed on vm" in shown.said
        sessions = shown.get("/api/sessions")
        assert sessions["root"] == f"ssh://vm{logdir}"
        assert len(sessions["sessions"]) >= 2
    finally:
        assert shown.stop() == 0


def test_every_verb_reads_over_ssh(ask: Asker, machine: Machine, logdir: Path) -> None:
    url = f"ssh://vm{logdir}"
    here = ask("ops", str(logdir), "--session", "2026_01_02", "--json")
    there = ask("ops", url, "--session", "2026_01_02", "--json", STEPSCOPE_SSH=machine.ssh())
    assert there.returncode == 0, there.stderr
    assert there.stdout == here.stdout
    unreachable = "ssh -o ConnectTimeout=2 -p 1 -F " + f"{machine.folder}/config"
    again = ask("ops", url, "--session", "2026_01_02", "--json", STEPSCOPE_SSH=unreachable)
    assert again.returncode == 0, again.stderr
    assert again.stdout == here.stdout
    assert "cannot be reached" in again.stderr


def test_names_mean_themselves(ask: Asker, machine: Machine, logdir: Path, tmp_path: Path) -> None:
    odd = tmp_path / "it's $HOME; `id` \"x\" logs"
    shutil.copytree(logdir / "plugins", odd / "plugins")
    answer = ask("sessions", f"ssh://vm{odd}", "--fetch", "--json", STEPSCOPE_SSH=machine.ssh())
    assert answer.returncode == 0, answer.stderr
    (session,) = json.loads(answer.stdout)["sessions"]
    assert session["state"] == "open"


def test_what_is_wrong_is_said(ask: Asker, machine: Machine, logdir: Path, tmp_path: Path) -> None:
    def said(url: str, ssh: str, code: int = 3) -> str:
        answer = ask("overview", url, STEPSCOPE_SSH=ssh)
        assert answer.returncode == code, answer.stderr
        return answer.stderr

    config = (machine.folder / "config").read_text()
    url = f"ssh://vm{logdir}"

    def changed(old: str, new: str) -> str:
        path = tmp_path / "config"
        assert old in config
        path.write_text(config.replace(old, new))
        return f"ssh -F {path}"

    key(tmp_path / "other_key")
    text = said(url, changed(f"{machine.folder}/user_key", f"{tmp_path}/other_key"))
    assert "refused the login" in text and "Permission denied" in text and "ssh-add" in text
    text = said(url, changed("known_hosts", "no_such_file"))
    assert "host key is unknown" in text
    text = said(url, changed(f"Port {machine.port}", f"Port {free_port()}"))
    assert "did not answer" in text and "Connection refused" in text
    text = said("ssh://no-such-host.invalid/logs", machine.ssh())
    assert "could not be resolved" in text
    text = said(f"ssh://vm{logdir}/nowhere", machine.ssh())
    assert "no such file or folder on that machine" in text
    text = said(url, "no-such-program")
    assert "could not start ssh" in text


def test_a_wrong_path_is_said_by_the_engine_there(ask: Asker, machine: Machine) -> None:
    machine.remove()
    machine.install()
    answer = ask("view", "ssh://vm/no/such/logs", STEPSCOPE_SSH=machine.ssh())
    assert answer.returncode == 3
    assert "on vm: no such file or folder: /no/such/logs" in answer.stderr


def test_without_forwarding_files_are_fetched(ask: Asker, logdir: Path, tmp_path: Path) -> None:
    strict = start(tmp_path / "strict", "AllowTcpForwarding no")
    strict.install()
    try:
        line = ["view", f"ssh://vm{logdir}", "--port", "0", "--no-report"]
        shown = view(ask, line, STEPSCOPE_SSH=strict.ssh())
        assert "does not allow port forwarding" in shown.said
        assert shown.get("/api/sessions")["root"] == f"ssh://vm{logdir}"
        assert shown.stop() == 0
    finally:
        strict.process.terminate()
        strict.process.wait(timeout=20)


# Google's program, as far as a tunnel needs it: it prints Google's messages for unknown names, and
# passes everything else to the real ssh.
GCLOUD = """#!{python}
import os, sys

words = sys.argv[1:]
assert words[:4] == ["compute", "tpus", "tpu-vm", "ssh"], words
own, ssh = words[4:], []
if "--" in own:
    at = own.index("--")
    own, ssh = own[:at], own[at + 1:]
name = own[0]
options = dict(word[2:].partition("=")[::2] for word in own[1:])
prefix = "ERROR: (gcloud.compute.tpus.tpu-vm.ssh) "
node = f"projects/{{options['project']}}/locations/{{options['zone']}}/nodes/{{name}}"
if options["project"] != "lab":
    sys.exit(f"{{prefix}}PERMISSION_DENIED: Permission 'tpu.nodes.get' denied on resource '//tpu."
             f"googleapis.com/{{node}}' (or it may not exist).")
if options["zone"] != "us-central2-b":
    sys.exit(f"{{prefix}}PERMISSION_DENIED: Permission denied on 'locations/{{options['zone']}}' "
             "(or it may not exist).")
if name != "my-tpu":
    sys.exit(f"{{prefix}}NOT_FOUND: Resource '{{node}}' was not found.")
print("Using ssh batch size of 1. Attempting to SSH into 1 nodes.", file=sys.stderr)
os.execvp("ssh", ["ssh", "-F", "{config}", *ssh, "vm", options["command"]])
"""


@pytest.fixture
def path_with_gcloud(machine: Machine, tmp_path: Path) -> str:
    folder = tmp_path / "gcloud"
    folder.mkdir()
    program = folder / "gcloud"
    program.write_text(GCLOUD.format(python=sys.executable, config=machine.folder / "config"))
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


NAMES = ["my-tpu", "us-central2-b", "lab"]


def test_a_tunnel_shows_the_engine_of_a_tpu_vm(
    ask: Asker, machine: Machine, logdir: Path, path_with_gcloud: str
) -> None:
    machine.remove()
    machine.install()
    line = ["tunnel", *NAMES, "--logdir", str(logdir)]
    shown = view(ask, line, PATH=path_with_gcloud)
    try:
        assert shown.get("/api/sessions")["root"] == str(logdir)
    finally:
        assert shown.stop() == 0
    assert gone(f"view {logdir}")


def test_a_tunnel_leads_to_what_runs_there(
    ask: Asker, machine: Machine, logdir: Path, path_with_gcloud: str
) -> None:
    there = view(ask, ["view", str(logdir), "--no-report", "--port", "0"])
    remote = there.url.partition("/?")[0].rpartition(":")[2]
    token = there.url.partition("/?token=")[2]
    local = str(free_port())
    shown = view(ask, ["tunnel", *NAMES, local, remote], PATH=path_with_gcloud)
    try:
        assert shown.url == f"http://127.0.0.1:{local}"
        shown.url += f"/?token={token}"
        assert shown.get("/api/sessions")["root"] == str(logdir)
        connections = len(machine.sessions())
        assert connections >= 1
    finally:
        assert shown.stop() == 0
        assert there.stop() == 0
    for _ in range(50):
        if len(machine.sessions()) < connections:
            break
        time.sleep(0.1)
    assert len(machine.sessions()) < connections, "the connection ends with the tunnel"


def test_a_tunnel_says_which_name_is_wrong(ask: Asker, path_with_gcloud: str) -> None:
    cases = [
        (["their-tpu", "us-central2-b", "lab"], "no TPU VM with this name", "check TPU_VM"),
        (["my-tpu", "us-central9-b", "lab"], "no such zone", "check ZONE"),
        (["my-tpu", "us-central2-b", "lax"], "the project does not exist", "check PROJECT"),
    ]
    for names, message, hint in cases:
        for more in ([], ["--logdir", "/tmp"]):
            answer = ask("tunnel", *names, *more, PATH=path_with_gcloud)
            assert answer.returncode == 1, answer.stderr
            assert message in answer.stderr and hint in answer.stderr
    answer = ask("tunnel", "my-tpu", "us-central2", "lab", PATH=path_with_gcloud)
    assert answer.returncode == 2 and "us-central2-b" in answer.stderr


def test_missing_programs_are_named(ask: Asker, tmp_path: Path) -> None:
    answer = ask("tunnel", *NAMES, PATH=str(tmp_path))
    assert answer.returncode == 1
    assert "gcloud is not on the PATH" in answer.stderr and "install" in answer.stderr
    (tmp_path / "gcloud").write_text("")
    answer = ask("tunnel", *NAMES, PATH=str(tmp_path))
    assert "ssh is not on the PATH" in answer.stderr


def test_a_dry_run_runs_nothing(ask: Asker, tmp_path: Path) -> None:
    answer = ask("tunnel", *NAMES, "7007", "--logdir", "~/logs", "--dry-run", PATH=str(tmp_path))
    assert answer.returncode == 0
    assert "gcloud compute tpus tpu-vm ssh my-tpu --zone=us-central2-b --project=lab" in answer.stdout
    assert "-N -L 7007:localhost:6006" in answer.stdout
