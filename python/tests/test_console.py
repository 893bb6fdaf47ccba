"""Log lines: one logger, once on the console, and never affecting the program."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator

import pytest

from stepscope import console


@pytest.fixture(autouse=True)
def clean_logging() -> Iterator[None]:
    root, own = logging.getLogger(), console.logger
    kept = (root.handlers[:], own.handlers[:], own.level, own.propagate)
    yield
    root.handlers[:], own.handlers[:], level, own.propagate = kept
    own.setLevel(level)


def test_lines_are_plain_and_warnings_say_who_warns(capsys: pytest.CaptureFixture[str]) -> None:
    console.say("one")
    console.say("never", quiet=True)
    console.warn("two 100%")
    assert capsys.readouterr() == ("", "one\nstepscope: two 100%\n")


def test_a_program_that_logs_to_its_console_shows_each_line_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(name)s|%(levelname)s|%(message)s"))
    logging.getLogger().addHandler(handler)
    console.say("one")
    console.warn("two")
    assert capsys.readouterr().err == "stepscope|INFO|one\nstepscope|WARNING|two\n"


def test_a_program_that_logs_to_a_file_has_the_lines_in_both(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = io.StringIO()
    logging.getLogger().addHandler(logging.StreamHandler(file))
    console.say("one")
    assert file.getvalue() == "one\n"
    assert capsys.readouterr().err == "one\n"


def test_a_handler_of_the_programs_own_for_our_logger(capsys: pytest.CaptureFixture[str]) -> None:
    console.logger.addHandler(logging.StreamHandler(sys.stderr))
    console.logger.propagate = False
    console.say("one")
    assert capsys.readouterr().err == "one\n"


def test_the_level_of_the_logger_counts(capsys: pytest.CaptureFixture[str]) -> None:
    console.logger.setLevel(logging.WARNING)
    console.say("one")
    console.warn("two")
    assert capsys.readouterr().err == "stepscope: two\n"


def test_a_closed_standard_error_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (closed, None):
        monkeypatch.setattr(sys, "stderr", stream)
        console.say("into the void")
