"""Opens a link with a secret in the browser, out of sight of other accounts of the machine.

What a browser is started with can be read in the list of processes. So it is started with a file
that only this user can read, a page that goes on to the link.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
import threading
import webbrowser
from pathlib import Path


def open_link(link: str, seconds: float) -> None:
    """Opens the link; the page that leads to it is deleted after `seconds`, or with the process."""
    folder = Path(tempfile.mkdtemp(prefix="stepscope-"))  # with mode 0700
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    page = folder / "start.html"
    page.write_text(_redirection(link), encoding="utf-8")
    forget = threading.Timer(seconds, shutil.rmtree, (folder,), {"ignore_errors": True})
    forget.daemon = True
    forget.start()
    webbrowser.open(page.as_uri())


def _redirection(link: str) -> str:
    # As a string of JavaScript within HTML.
    quoted = json.dumps(link).replace("<", "\\u003c")
    return f'<!doctype html><meta charset="utf-8"><script>location.replace({quoted})</script>\n'
