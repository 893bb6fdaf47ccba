"""The `stepscope` command: the same program as the binary, run by the extension module."""

from __future__ import annotations

import signal
import sys

from ._engine import engine
from .engine_errors import EngineMissingError


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    try:
        module = engine()
    except EngineMissingError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    # Python would only act on Ctrl-C after the command has ended, which may be never.
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    code: int = module.main(["stepscope", *sys.argv[1:]])
    return code


if __name__ == "__main__":
    sys.exit(main())
