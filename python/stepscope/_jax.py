"""Everything this package knows about jax, public and private, in one place.

jax is imported when a capture needs it, and never before. If a version of jax lacks something,
these functions return None or False, so that callers need only one code path: 0.4.13 to 0.12 are
supported. What jax records about its own sessions differs most; see `profiler_state`. Its hook after runs is in
`_after_runs`.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

from .errors import JaxMissingError

TraceContext = Any
"""A context manager that marks a time range in the trace."""


def module() -> Any:
    """The module `jax`.

    Raises:
        JaxMissingError: it cannot be imported.
    """
    loaded = sys.modules.get("jax")
    if loaded is not None:
        return loaded
    try:
        return importlib.import_module("jax")
    except ImportError as error:
        raise JaxMissingError(
            f"A capture needs jax, but it cannot be imported: {error}",
            "pip install jax, or jax[cuda13] or jax[tpu] for your hardware",
        ) from error


def is_loaded() -> bool:
    """Whether the program has already imported jax."""
    return "jax" in sys.modules


def profiler() -> Any:
    """The module `jax.profiler`. Called in every captured step, so it takes no detour."""
    loaded = sys.modules.get("jax.profiler")
    if loaded is not None:
        return loaded
    module()
    return importlib.import_module("jax.profiler")


def private_module(name: str) -> Any:
    """A private module of jax, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def native_profiler() -> Any:
    """The jaxlib bindings that contain `ProfilerSession`, or None.

    They are in `jaxlib._profiler` from 0.6.1 on, and in `xla_client.profiler` before.
    """
    module()
    library = private_module("jax._src.lib")
    found = getattr(library, "_profiler", None)
    return (
        found
        if found is not None
        else getattr(getattr(library, "xla_client", None), "profiler", None)
    )


def has_fast_stop() -> bool:
    """Whether a session returns its bytes, so that we can write the file ourselves."""
    session = getattr(native_profiler(), "ProfilerSession", None)
    return session is not None and hasattr(session, "stop")


def profiler_note() -> Any:
    """The object in which `jax.profiler` records its session, or None; see `profiler_state`."""
    module()
    return getattr(private_module("jax._src.profiler"), "_profile_state", None)


def is_recording() -> bool:
    """Whether a session in this process is recording host events right now."""
    annotation = getattr(profiler(), "TraceAnnotation", None)
    is_enabled = getattr(annotation, "is_enabled", None)
    return bool(is_enabled()) if is_enabled is not None else False


def initialize_backends() -> None:
    """Creates the devices: a TPU session that starts before they exist records no device."""
    module().devices()


def record_versions() -> None:
    """Puts versions into the capture as jax's own `start_trace` does."""
    private = private_module("jax._src.profiler")
    set_metadata = getattr(private, "set_metadata", None)
    if set_metadata is None:
        return
    getattr(private, "clear_metadata", lambda: None)()
    jax = module()
    set_metadata("jax_version", jax.__version__)
    set_metadata("jaxlib_version", version_of("jaxlib") or "unknown")
    bridge = private_module("jax._src.xla_bridge")
    for name in getattr(bridge, "backends", dict)():
        try:
            backend = bridge.get_backend(name)
            set_metadata(f"{backend.platform}_version", backend.platform_version)
        except RuntimeError:
            continue


def forget_versions() -> None:
    """Clears what `record_versions` set."""
    getattr(private_module("jax._src.profiler"), "clear_metadata", lambda: None)()


def version() -> tuple[int, ...]:
    """The version of jax as numbers: 0, 12, 0."""
    numbers = re.findall(r"\d+", module().__version__)[:3]
    return tuple(int(number) for number in numbers)


def version_of(distribution: str) -> str | None:
    """The version of an installed distribution, or None."""
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def process_index_and_count() -> tuple[int, int]:
    """Which process of the job this is, and how many there are, as jax knows it.

    On CPU the devices of old versions know one process only; `jax.distributed` knows them all.
    """
    jax = module()
    try:
        index, count = int(jax.process_index()), int(jax.process_count())
    except RuntimeError:
        index, count = 0, 1
    state = _distributed_state()
    if count == 1 and getattr(state, "client", None) is not None:
        return int(state.process_id or 0), int(getattr(state, "num_processes", None) or 1)
    return index, count


def _distributed_state() -> Any:
    return getattr(private_module("jax._src.distributed"), "global_state", None)


def coordination_client() -> Any:
    """The client of jax's coordination service, or None where `jax.distributed` is not in use."""
    return getattr(_distributed_state(), "client", None)


def local_devices() -> list[dict[str, Any]]:
    """The devices of this process: id, kind, platform, process_index."""
    try:
        devices = module().local_devices()
    except RuntimeError:
        return []
    return [
        {
            "id": int(device.id),
            "kind": str(getattr(device, "device_kind", device.platform)),
            "platform": str(device.platform),
            "process_index": int(device.process_index),
        }
        for device in devices
    ]


def platform() -> str | None:
    """The default platform (`cpu`, `gpu`, `tpu`) if the backends exist already, else None."""
    if not is_loaded():
        return None
    bridge = private_module("jax._src.xla_bridge")
    if not getattr(bridge, "_backends", None):
        return None
    try:
        return str(module().default_backend())
    except RuntimeError:
        return None


def block_until_ready(tree: Any) -> None:
    """Waits for every array in `tree`: pytrees, dataclasses and plain objects that hold some.

    Arrays that were donated or deleted are skipped. An error of the computation itself is
    raised here, as it would be wherever the result is first read.
    """
    try:  # a loss, as in most loops: no tree walk in every captured step, and few calls
        wait = tree.block_until_ready
    except AttributeError:
        pass
    else:
        try:
            wait()
        except Exception:  # jaxlib's errors differ between versions
            if not _is_deleted(tree):
                raise
        return
    arrays = list(_arrays_of(tree, depth=2))
    if arrays:
        module().block_until_ready(arrays)


def block_on_live_arrays() -> None:
    """Waits for every array that this process still holds.

    Nobody asked for these arrays, so one whose computation failed is skipped: the program gets that
    error where it reads the array.
    """
    live_arrays = getattr(module(), "live_arrays", None)
    for array in [] if live_arrays is None else live_arrays():
        try:
            if not array.is_deleted():
                array.block_until_ready()
        except Exception:  # noqa: BLE001 - jaxlib's errors differ between versions
            continue


def _is_deleted(array: Any) -> bool:
    is_deleted = getattr(array, "is_deleted", None)
    return is_deleted is not None and is_deleted()


def _arrays_of(tree: Any, depth: int) -> Iterable[Any]:
    for leaf in module().tree_util.tree_leaves(tree):
        if hasattr(leaf, "block_until_ready"):
            if not _is_deleted(leaf):
                yield leaf
        elif depth > 0 and not isinstance(leaf, (str, bytes, int, float, complex, type)):
            members = getattr(leaf, "__dict__", None)
            if members and not callable(leaf):
                yield from _arrays_of(list(members.values()), depth - 1)


def has_arrays(tree: Any) -> bool:
    """Whether there is an array among the leaves of `tree`, even a deleted one."""
    leaves = module().tree_util.tree_leaves(tree)
    return any(hasattr(leaf, "block_until_ready") for leaf in leaves)


def restore_profile_hook(hook: Any) -> None:
    """Restores the `sys.setprofile` hook, which jax's Python tracer removes for good.

    `cProfile` keeps its hook in C and must be enabled again rather than called.
    """
    if hook is None or sys.getprofile() is hook:
        return
    enable = getattr(hook, "enable", None)
    if enable is not None:
        enable()
    else:
        sys.setprofile(hook)


def environment_disables_profiling() -> bool:
    """Whether `TF_DISABLE_PROFILING` forbids every session in this process."""
    return os.environ.get("TF_DISABLE_PROFILING", "").strip().lower() in ("1", "true")


def tracing_check() -> Callable[[], bool]:
    """A function that says, as cheaply as this jax allows, that no function is being traced."""
    core = private_module("jax._src.core")
    local = getattr(core, "thread_local_state", None)
    evaluation = getattr(core, "EvalTrace", None)
    if local is not None and hasattr(getattr(local, "trace_state", None), "trace_stack"):

        def is_outside() -> bool:
            kind = local.trace_state.trace_stack.dynamic.trace_type
            return kind is evaluation

        return is_outside
    strong: Any = getattr(core, "trace_state_strong_ref", None)
    top = getattr(core, "eval_trace", None)
    if top is not None and hasattr(strong, "value"):
        return lambda: strong.value is top
    clean: Callable[[], bool] | None = getattr(core, "trace_state_clean", None)
    return clean if clean is not None else (lambda: True)


def annotation(name: str, **stats: Any) -> TraceContext:
    """`jax.profiler.TraceAnnotation`: a slice on the timeline while a capture runs."""
    return profiler().TraceAnnotation(name, **stats)


def step_annotation(name: str, step: int) -> TraceContext:
    """`jax.profiler.StepTraceAnnotation`: marks one step of the loop."""
    return profiler().StepTraceAnnotation(name, step_num=step)


OWN_TIME = "stepscope: "
"""Prefix of slice names during which the profiler itself works or waits: no analysis attributes
time within them to the program (`crates/model/src/vendor/hosts.rs`)."""


def own_time(what: str) -> TraceContext:
    """Marks a time range in which the profiler, not the program, works or waits."""
    return profiler().TraceAnnotation(OWN_TIME + what)


def block_annotation(name: str | None, step: int | None) -> TraceContext:
    """Marks the block of a capture, which is its one step where no step is marked."""
    title = f"block {name}" if name else "block"
    return profiler().TraceAnnotation(title, stepscope_block=step or 0)
