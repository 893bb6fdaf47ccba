"""Starting and stopping the profiler itself, in two ways.

`FastRecorder` holds jaxlib's own session and takes the serialized profile from it: the program is
paused for less than half as long as with `jax.profiler.stop_trace`, which also converts the trace,
and nothing can collide. `PublicRecorder` uses `start_trace` and `stop_trace` if that session does
not return its bytes (before jax 0.6.1), exporting into its own folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from . import _jax, console, limits, profile_options, profiler_state
from .errors import CaptureError, ProfilerBusyError
from .run_directory import RunDirectory

_BUSY_HINT = (
    "wait until the other capture is over: one from jax.profiler.start_trace, from a viewer that "
    "captures over the network, or from XLA's own auto-tuning"
)


_never_freed: list[Any] = []
"""Sessions that a forked child inherited: freeing one would crash the child."""


class Recorder(Protocol):
    """One profiler session: started once, stopped once."""

    mark: profiler_state.Mark
    """What refuses other sessions while this one records, from `start` on."""

    def start(self, options: Any, place: RunDirectory) -> None:
        """Starts recording for `place`.

        Raises:
            ProfilerBusyError: another session is active.
        """

    def stop(self, place: RunDirectory, *, trace_json: bool) -> int:
        """Ends the session and writes the profile to `place`; returns its size in bytes.

        With `trace_json` the old trace viewer's file is written too.
        """

    def abandon(self) -> None:
        """Ends the session and discards what it recorded. Never raises."""

    def leave_to_parent(self) -> None:
        """In a forked child: drops the session without ending it."""


def new_recorder() -> Recorder:
    """The best recorder that this jax supports."""
    return FastRecorder() if _jax.has_fast_stop() else PublicRecorder()


class FastRecorder:
    """jaxlib's session; we write its bytes ourselves."""

    def __init__(self) -> None:
        self._session: Any = None
        self._writes_records = False
        self.mark = profiler_state.Mark("a capture of stepscope")

    def start(self, options: Any, place: RunDirectory) -> None:
        self._writes_records = profile_options.writes_records(options)
        native = _jax.native_profiler()
        state = profiler_state.current()
        with state.lock:
            if state.session is not None:
                raise ProfilerBusyError(
                    "A profiler session is already active in this process", _BUSY_HINT
                )
            _jax.record_versions()
            given = () if options is None else (options,)
            self._session = native.ProfilerSession(*given)
            self.mark = _mark_of(place)
            state.occupy(self.mark)

    def stop(self, place: RunDirectory, *, trace_json: bool) -> int:
        session, self._session = self._session, None
        if self._writes_records:
            return self._export_records(session, place, trace_json=trace_json)
        try:
            profile: bytes = session.stop()
        except Exception as error:
            raise _stop_error(error) from error
        finally:
            self._free_state()
        if not profile:
            raise _too_large()
        with suppress(OSError):  # somebody may have cleaned up in the meantime
            place.folder.mkdir(parents=True, exist_ok=True)
        try:
            write_atomically(place.message, profile)
        except CaptureError as error:
            raise _rescue(profile, place, error) from error
        if trace_json:
            with _temporary_folder(place.folder) as folder:
                session.export(profile, str(folder))
                _move_exported(folder, "*.trace.json.gz", place.trace_json)
        return len(profile)

    def _export_records(self, session: Any, place: RunDirectory, *, trace_json: bool) -> int:
        """Lets jax write the file, since only jax can; the bytes are not available."""
        try:
            with suppress(OSError):
                place.folder.mkdir(parents=True, exist_ok=True)
            with _temporary_folder(place.folder) as folder:
                session.stop_and_export(str(folder))
                _move_profile(folder, place)
        except CaptureError:
            raise
        except Exception as error:
            raise _stop_error(error) from error
        finally:
            self._free_state()
        if trace_json:
            console.warn(
                "jax writes no trace.json.gz for a capture in records; use `stepscope export` to make a "
                "trace for Perfetto"
            )
        return place.profile.stat().st_size

    def abandon(self) -> None:
        session, self._session = self._session, None
        try:
            if session is not None:
                session.stop()
        except Exception:  # noqa: BLE001 - what was recorded is not wanted
            pass
        finally:
            self._free_state()

    def leave_to_parent(self) -> None:
        session, self._session = self._session, None
        _never_freed.append(session)

    def _free_state(self) -> None:
        profiler_state.current().free(self.mark)
        _jax.forget_versions()


class PublicRecorder:
    """`jax.profiler.start_trace` and `stop_trace`, into a separate folder."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self.mark = profiler_state.Mark("a capture of stepscope")

    def start(self, options: Any, place: RunDirectory) -> None:
        folder = Path(tempfile.mkdtemp(prefix=".stepscope-", dir=place.folder))
        keywords = {} if options is None else {"profiler_options": options}
        try:
            _jax.profiler().start_trace(str(folder), **keywords)
        except RuntimeError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise ProfilerBusyError(
                "A profiler session is already active in this process", _BUSY_HINT
            ) from error
        self._folder = folder
        self.mark = _mark_of(place)
        state = profiler_state.current()
        with state.lock:
            state.occupy(self.mark)

    def stop(self, place: RunDirectory, *, trace_json: bool) -> int:
        folder, self._folder = self._folder, None
        assert folder is not None
        try:
            self._stop_trace()
            _move_profile(folder, place)
            if trace_json:
                _move_exported(folder, "*.trace.json.gz", place.trace_json)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return place.profile.stat().st_size

    def abandon(self) -> None:
        folder, self._folder = self._folder, None
        if folder is None:
            return
        try:
            self._stop_trace()
        except CaptureError:
            pass
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def leave_to_parent(self) -> None:
        self._folder = None

    def _stop_trace(self) -> None:
        state = profiler_state.current()
        state.free(self.mark)
        session = state.session
        try:
            _jax.profiler().stop_trace()
        except Exception as error:
            # jax keeps the dead session forever, and every later capture would fail.
            state.forget(session)
            raise _stop_error(error) from error


def cure_stuck_state() -> bool:
    """Clears jax's record of a dead session; returns whether there was one.

    After any failed `stop_trace`, jax refuses every later session with "already started". The
    record of a live session is left alone: while one is alive, our own session cannot start.
    """
    state = profiler_state.current()
    session = state.session
    if session is None or isinstance(session, profiler_state.Mark) or _jax.is_recording():
        return False
    return not _is_session_alive() and state.forget(session)


def _is_session_alive() -> bool:
    """Tries a session that records nothing: it fails if and only if another is active."""
    native = _jax.native_profiler()
    options_class = getattr(_jax.profiler(), "ProfileOptions", None) or native.ProfileOptions
    options = options_class()
    for name in ("host_tracer_level", "python_tracer_level"):
        if hasattr(options_class, name):
            setattr(options, name, 0)
    if hasattr(options_class, "enable_hlo_proto"):
        options.enable_hlo_proto = False
    session = native.ProfilerSession(options)
    try:
        if hasattr(session, "stop"):
            session.stop()
        else:
            with tempfile.TemporaryDirectory(prefix="stepscope-") as folder:
                session.stop_and_export(folder)
    except Exception:  # noqa: BLE001 - the class differs between versions of jaxlib
        return True
    return False


def _mark_of(place: RunDirectory) -> profiler_state.Mark:
    return profiler_state.Mark(f"the capture {place.session_id} of stepscope")


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file that is either absent or complete, whatever happens."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise CaptureError(
            f"Cannot write the capture ({error.strerror or error}): {path}",
            "free some space, or choose another folder with log_dir",
        ) from error


def _rescue(profile: bytes, place: RunDirectory, error: CaptureError) -> CaptureError:
    """If its folder failed, writes a capture to the temporary folder instead."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="stepscope-rescued-"))
        run = folder / "plugins" / "profile" / place.session_id
        run.mkdir(parents=True)
        write_atomically(run / place.message.name, profile)
    except (OSError, CaptureError):
        return error
    return CaptureError(error.message, f"it was saved in {folder}; move it to where there is space")


def _stop_error(error: Exception) -> CaptureError:
    text = str(error)
    if "ALREADY_EXISTS" in text or "profiling session active" in text:
        return ProfilerBusyError(
            "Another profiler session was active when this one started, so nothing was recorded",
            _BUSY_HINT,
        )
    return CaptureError(
        f"Stopping the profiler failed: {text}",
        "the program itself is not affected; see the troubleshooting table in docs/guides/capture.md",
    )


def _too_large() -> CaptureError:
    """Every profile has some content; one that is too large for a message comes back empty."""
    return CaptureError(
        "The capture is lost: it is larger than 2 GiB, the maximum size of a protobuf message",
        limits.HOW_TO_STAY_BELOW,
    )


def _move_profile(folder: Path, place: RunDirectory) -> None:
    """Moves what jax exported below `folder` to its place: records, or one message."""
    if any(folder.glob("plugins/profile/*/*.xplane.riegeli")):
        _move_exported(folder, "*.xplane.riegeli", place.records)
        return
    _move_exported(folder, "*.xplane.pb", place.message)
    if place.message.stat().st_size == 0:
        place.message.unlink()
        raise _too_large()


def _move_exported(folder: Path, pattern: str, target: Path) -> None:
    found = sorted(folder.glob(f"plugins/profile/*/{pattern}"))
    if not found:
        raise CaptureError(
            f"The profiler wrote no {pattern.removeprefix('*.')} file for {target.parent.name}",
            "see the messages above this one, and docs/guides/capture.md",
        )
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    shutil.move(str(found[-1]), partial)
    partial.replace(target)


@contextmanager
def _temporary_folder(beside: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".stepscope-", dir=beside) as folder:
        yield Path(folder)
