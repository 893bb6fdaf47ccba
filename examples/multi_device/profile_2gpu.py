"""The gradient benchmark on 2 device(s); `--help` lists what can be set."""

import sys

from gradient_benchmark import main

if __name__ == "__main__":
    sys.exit(main(device_count=2))
