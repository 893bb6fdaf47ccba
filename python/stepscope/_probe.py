"""Prints what a Python environment has for profiling JAX, as JSON.

`stepscope doctor` runs it with the Python of the program to profile. It uses only the standard
library, imports none of the packages it names, and works on Python 3.8 and newer.
"""

import glob
import json
import os
import platform
import re
import sys
from importlib import metadata

# Distributions that matter for profiling, by normalized name.
WANTED = re.compile(
    r"^(jax|jaxlib|jax-.*(plugin|pjrt)|jax-metal|libtpu|libtpu-nightly|tensorboard|tb-nightly"
    r"|tensorboard-plugin-profile|tbp-nightly|xprof|xprof-nightly|tensorflow|tensorflow-cpu"
    r"|tf-nightly|protobuf|setuptools|numpy|flax|optax|stepscope|nvidia-cuda-cupti.*)$"
)


def normalized(name):
    """The name as package indexes compare it: `Jax_CUDA12-plugin` is `jax-cuda12-plugin`."""
    return re.sub(r"[-_.]+", "-", name or "").lower()


def distributions():
    """Versions of every relevant distribution by name; duplicates are both listed."""
    found = {}
    for distribution in metadata.distributions():
        name = normalized(distribution.metadata["Name"])
        if WANTED.match(name):
            versions = found.setdefault(name, [])
            if distribution.version not in versions:
                versions.append(distribution.version)
    return found


def profile_plugins():
    """Distributions with a TensorBoard profile plugin; two of them conflict."""
    found = set()
    for distribution in metadata.distributions():
        for entry in distribution.entry_points:
            if entry.group == "tensorboard_plugins" and re.search("profile|xprof", entry.value):
                found.add(normalized(distribution.metadata["Name"]))
    return sorted(found)


def libraries(pattern):
    """Libraries installed by packages, such as `nvidia/cuda_cupti/lib/libcupti.so.12`."""
    found = []
    for folder in sys.path:
        found += glob.glob(os.path.join(folder, "nvidia", "*", "lib*", pattern))
    return sorted(set(found))


def shadows():
    """Files in the working directory that Python would import instead of a package."""
    names = ["jax", "jaxlib", "xprof", "tensorflow", "tensorboard", "profile"]
    return [name + ".py" for name in names if os.path.isfile(name + ".py")]


def main():
    print(
        json.dumps(
            {
                "version": platform.python_version(),
                "executable": sys.executable,
                "prefix": sys.prefix,
                "distributions": distributions(),
                "profile_plugins": profile_plugins(),
                "cupti_libraries": libraries("libcupti.so*"),
                "shadows": shadows(),
            }
        )
    )


if __name__ == "__main__":
    main()
