"""The package without its extension module, and without jax: captures work, sessions say why not."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in ("stepscope._stepscope", "jax", "jaxlib"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
"""


def python(code: str, *, blocked: bool = True) -> str:
    text = (BLOCKED if blocked else "") + textwrap.dedent(code)
    answer = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@pytest.mark.oldest
def test_the_package_is_imported_and_has_no_verdict() -> None:
    printed = python(
        """
        import stepscope
        from stepscope._engine import verdict_lines
        print(verdict_lines("."), stepscope.StepscopeError.__name__)
        """
    )
    assert printed.split() == ["None", "StepscopeError"]


def test_sessions_and_the_command_say_what_is_missing() -> None:
    printed = python(
        """
        import stepscope
        from stepscope.__main__ import main
        try:
            stepscope.open(".")
        except ImportError as error:
            print(type(error).__name__, error.hint)
        print(main())
        """
    )
    assert printed.startswith("EngineMissingError")
    assert "pip install" in printed
    assert printed.strip().endswith("1")


def test_importing_costs_neither_jax_nor_the_engine() -> None:
    printed = python(
        """
        import sys
        import stepscope
        print("stepscope._stepscope" in sys.modules, "jax" in sys.modules)
        session = stepscope.open
        print("stepscope._stepscope" in sys.modules, "jax" in sys.modules)
        """,
        blocked=False,
    )
    assert printed.split() == ["False"] * 4
