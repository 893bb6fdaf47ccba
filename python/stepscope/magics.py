"""`%%profile`: captures a cell of a notebook and shows the report below it.

IPython imports this module when it runs `%load_ext stepscope`; nothing else does.
"""

# The decorators of magics have no types.
# mypy: disable-error-code="no-untyped-call,untyped-decorator"

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from . import _jax, console
from ._engine import engine
from .capture_result import CaptureResult
from .engine_errors import EngineMissingError
from .trace import profile_trace


def load_ipython_extension(shell: Any) -> None:
    """Adds `%%profile` to IPython; `%load_ext stepscope` calls it."""
    shell.register_magics(ProfileMagics)


@magics_class
class ProfileMagics(Magics):  # type: ignore[misc, unused-ignore]
    """The magic commands."""

    shell: Any

    @magic_arguments()
    @argument("--name", help="name of the capture, used in its session ID")
    @argument("--log-dir", help="log directory [default: PROFILE_DIR, or ./profiles]")
    @argument(
        "--steps",
        type=int,
        metavar="N",
        help="run the cell N times, each as one step [default: once, without a step]",
    )
    @argument(
        "--options",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a field of jax.profiler.ProfileOptions, such as python_tracer_level=0; repeatable",
    )
    @argument("-o", "--output", metavar="NAME", help="variable for the session")
    @argument("-q", "--quiet", action="store_true", help="capture without showing the report")
    @cell_magic
    def profile(self, line: str, cell: str) -> None:
        """Captures the cell with the JAX profiler and shows the overview of the capture."""
        asked = parse_argstring(self.profile, line)
        if asked.steps is not None and asked.steps < 1:
            raise UsageError("--steps must be at least 1")
        if asked.output is not None and not asked.output.isidentifier():
            raise UsageError(f"--output: {asked.output!r} is not the name of a variable")
        if self.shell.should_run_async(cell, transformed_cell=self.shell.transform_cell(cell)):
            raise UsageError(
                "%%profile cannot run cells with a top-level await; "
                "use `with stepscope.profile_trace(...)` in the cell"
            )
        trace = profile_trace(
            asked.log_dir,
            asked.name,
            profiler_options=_options(asked.options) or None,
            # The report replaces the printed verdict.
            quiet=_has_engine() or asked.quiet or None,
        )
        code = _Cell(self.shell, cell)
        try:
            with trace:
                value = _run(code, trace, asked.steps)
                # Arrays in variables are waited for anyway; this one has none yet.
                _jax.block_until_ready(value)
            if value is not None:
                self.shell.displayhook(value)
            if trace.result is None:
                console.say("%%profile captured nothing: captures are disabled, or one is active")
        finally:  # a cell that raises leaves a capture too
            if trace.result is not None:
                self._show(trace.result, asked.output, is_quiet=asked.quiet)

    def _show(self, result: CaptureResult, variable: str | None, *, is_quiet: bool) -> None:
        """Keeps the session in a variable, and displays the report."""
        if not _has_engine():
            return
        from .session import open

        session = open(result)
        if variable is not None:
            self.shell.user_ns[variable] = session
        if not is_quiet:
            display(session)


class _Cell:
    """The code of a cell: statements, and the expression at its end, whose value is the cell's."""

    def __init__(self, shell: Any, source: str) -> None:
        text = shell.transform_cell(source)
        # Tracebacks, and source lines in the capture, refer to the lines of the cell.
        name = shell.compile.cache(text, shell.execution_count)
        tree = shell.transform_ast(shell.compile.ast_parse(text, filename=name))
        last = tree.body[-1] if tree.body else None
        self._names = shell.user_ns
        self._value = None
        if isinstance(last, ast.Expr):
            tree.body.pop()
            self._value = shell.compile(ast.Expression(last.value), name, "eval")
        self._statements = shell.compile(tree, name, "exec")

    def run(self) -> Any:
        exec(self._statements, self._names)
        return None if self._value is None else eval(self._value, self._names)


def _run(code: _Cell, trace: profile_trace, steps: int | None) -> Any:
    """The value of the cell. Work in flight is part of its capture, also if the cell raises."""
    try:
        return code.run() if steps is None else _steps(code, trace, steps)
    except Exception:
        if _jax.is_loaded():
            with suppress(Exception):
                _jax.block_on_live_arrays()
        raise


def _steps(code: _Cell, trace: profile_trace, count: int) -> Any:
    """Runs the cell several times, each as one step; the value is that of the last.

    No step follows the last one, so it ends with its annotation, which includes its work.
    """
    value = None
    for step in range(count):
        with trace.step(step):
            value = code.run()
            if step == count - 1 and _jax.is_loaded():
                _jax.block_until_ready(value)
                _jax.block_on_live_arrays()
    return value


def _options(pairs: list[str]) -> dict[str, Any]:
    """`KEY=VALUE` as a mapping; values are Python literals, or else text."""
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier():
            raise UsageError(f"--options: {pair!r} is not KEY=VALUE")
        try:
            options[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            options[key] = value
    return options


def _has_engine() -> bool:
    """Whether captures can be opened here."""
    try:
        engine()
    except EngineMissingError:
        return False
    return True
