"""Typos and invalid values are immediate errors, in Python terms."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope import engine_errors as errors
from stepscope._analyses import Analyses

DEMO = Path(__file__).resolve().parents[2] / "fixtures/demo-gpt-cpu"
FUNCTIONS = [
    stepscope.compare,
    stepscope.check,
    stepscope.history,
    stepscope.scaling,
    stepscope.assert_no_regression,
    stepscope.open,
    stepscope.sessions,
    stepscope.sql,
]
METHODS = [
    method
    for name, method in inspect.getmembers(stepscope.Session, inspect.isfunction)
    if not name.startswith("_") and name not in ("run", "close")
]


@pytest.fixture(scope="module")
def session() -> stepscope.Session:
    return stepscope.open(DEMO)


@pytest.mark.parametrize("function", FUNCTIONS + METHODS, ids=lambda one: one.__name__)
def test_an_unknown_keyword_is_an_error_that_names_the_function(function: Any) -> None:
    with pytest.raises(TypeError, match=rf"{function.__name__}\(\) has no keyword no_such_thing="):
        function(DEMO, no_such_thing=1)
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds


@pytest.mark.parametrize("name", [name for name in dir(Analyses) if not name.startswith("_")])
def test_the_nearest_keyword_is_named(session: stepscope.Session, name: str) -> None:
    method = getattr(session, name)
    if "steps" not in inspect.signature(method).parameters:
        return
    with pytest.raises(errors.UnknownOptionError) as raised:
        method(*([DEMO] if name == "compare" else []), stesp=1)
    assert (raised.value.hint or "").startswith("did you mean steps=? available: ")
    assert isinstance(raised.value, (TypeError, ValueError))


def test_run_knows_the_keywords_of_every_name(session: stepscope.Session) -> None:
    for name in ("ops", "hlo_stats"):
        with pytest.raises(errors.UnknownOptionError, match="has no keyword limits="):
            session.run(name, limits=3)


def test_a_misspelled_wish_to_redact_writes_nothing(
    session: stepscope.Session, tmp_path: Path
) -> None:
    file = tmp_path / "report.md"
    wishes: list[dict[str, Any]] = [
        {"redcat": True},
        {"redact": "yes"},
        {"redact": "true"},
        {"redact": 1},
        {"redact": None},
        {"redact_key": "k"},
        {"redact": True, "redact_key": ""},
        {"redact": True, "redact_key": 5},
    ]
    for wish in wishes:
        with pytest.raises(errors.OptionsError):
            session.export(markdown=file, **wish)
        assert not file.exists(), wish


@pytest.mark.parametrize(
    "keywords",
    [
        {"steps": b"3"},
        {"steps": {"a": 1}},
        {"steps": slice(-3, None)},
        {"steps": slice(0, 8, 2)},
        {"steps": [1, None]},
        {"match": ["dot", "fusion"]},
        {"match": 3},
        {"limit": -1},
        {"limit": "many"},
        {"limit": True},
        {"by": "color"},
        {"sort": "beauty"},
        {"time": "soon"},
    ],
)
def test_values_without_sense_are_refused(
    session: stepscope.Session, keywords: dict[str, Any]
) -> None:
    with pytest.raises(errors.OptionsError) as raised:
        session.ops(**keywords)
    (name,) = keywords
    text = str(raised.value)
    assert f"{name}=" in text
    speaks_python(text)


def speaks_python(text: str) -> None:
    for foreign in ("--", "Usage", "error:", "invalid digit", "usize", "Some(", "Ok(", "Err("):
        assert foreign not in text, text


def test_flags_are_true_or_false(session: stepscope.Session) -> None:
    for wrong in ("no", "yes", 2):
        with pytest.raises(errors.OptionsError, match="True or False|true or false"):
            stepscope.check(session, budget="step_time<=1s", allow_unknown=wrong)  # type: ignore[arg-type]
        with pytest.raises(errors.OptionsError):
            stepscope.sessions(DEMO, quick=wrong)  # type: ignore[arg-type]


def test_messages_name_keywords_and_values(session: stepscope.Session) -> None:
    for keywords, words in (
        ({"steps": "first"}, r"^steps= "),
        ({"steps": 99}, r"^steps=99 matches nothing; available: 0, 1"),
        ({"device": "TPU:9"}, r'^device="TPU:9" matches nothing'),
        ({"sort": "beauty"}, r'^unknown column for sort="beauty"; available: '),
    ):
        with pytest.raises(errors.EngineError, match=words) as raised:
            session.ops(**keywords)  # type: ignore[arg-type]
        speaks_python(str(raised.value))


def test_hints_lead_to_what_is_installed(session: stepscope.Session) -> None:
    with pytest.raises(errors.OptionsError) as raised:
        session.ops(by="color")  # type: ignore[arg-type]
    assert raised.value.hint == "help(stepscope.Session.ops) lists its options"
    with pytest.raises(errors.OptionsError) as raised:
        stepscope.compare(DEMO, DEMO, confidence=7)
    assert raised.value.hint == "help(stepscope.compare) lists its options"
    assert "steps" in (stepscope.Session.ops.__doc__ or "")


def test_the_module_names_what_was_meant() -> None:
    with pytest.raises(AttributeError, match="did you mean 'profile_trace'"):
        stepscope.profile_trce  # type: ignore[attr-defined]  # noqa: B018


def test_ranges_and_patterns(session: stepscope.Session) -> None:
    assert session.ops(steps=range(0, 6, 2)).to_dict() == session.ops(steps="0,2,4").to_dict()
    assert session.ops(match=re.compile("dot")).to_dict() == session.ops(match="dot").to_dict()  # type: ignore[arg-type]
