"""Loads `stepscope.run_hook` when the program imports jax, then runs the program's own sitecustomize.

`stepscope run` puts the folder of this file on PYTHONPATH. Programs without jax pay one comparison
per imported module.
"""

import importlib.machinery
import importlib.util
import os
import sys

_REQUEST = "STEPSCOPE_RUN"
_CHECKED = "STEPSCOPE_RUN_CHECKED"
_FOLDER = os.path.dirname(os.path.abspath(__file__))


class _JaxFinder:
    """Finds nothing itself; calls the hook once `jax` is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "jax":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("jax")
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_start(module):
                execute(module)
                _start()

            spec.loader.exec_module = execute_and_start
        return spec


def _start():
    try:
        from stepscope import run_hook
    except ImportError as error:
        print(
            f"stepscope: no capture, because {sys.executable} cannot import stepscope ({error}); "
            f"install it there: {sys.executable} -m pip install stepscope",
            file=sys.stderr,
        )
        return
    run_hook.start()


def _check_rules():
    """A mistake in the rules of the recorder ends the program before it has begun."""
    if os.environ.get(_CHECKED) or '"record":true' not in os.environ[_REQUEST].replace(" ", ""):
        return
    try:
        from stepscope import errors, run_request
    except ImportError:  # said when jax is imported
        return
    try:
        request = run_request.RunRequest.from_environment()
        if request is not None:
            request.check()
    except errors.SettingsError as error:
        print(f"stepscope: {error}", file=sys.stderr, flush=True)
        os._exit(2)  # an exception would end Python with a trace and another code
    os.environ[_CHECKED] = "1"  # for the processes that this one starts


def _run_the_programs_own():
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.path[:] = [place for place in sys.path if os.path.abspath(place or os.curdir) != _FOLDER]
if _REQUEST in os.environ:
    _check_rules()
    sys.meta_path.insert(0, _JaxFinder())
_run_the_programs_own()
