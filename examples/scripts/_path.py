"""Lets the scripts find the modules beside their folder, wherever they are started from."""

import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(EXAMPLES))
