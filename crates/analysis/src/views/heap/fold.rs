//! Folding: which frames belong to the user, and which to JAX, to a library, or to Python itself.
//!
//! The innermost frames of every stack belong to JAX. Without folding, `batched_device_put` would
//! appear to allocate all memory. Folding leaves only the user's frames; the innermost of them is the
//! place in the program that requested the memory.

use stepscope_model::{Heap, StackId};

/// Packages whose frames are folded, as folders of `site-packages`.
const LIBRARIES: [&str; 13] = [
    "chex",
    "einops",
    "equinox",
    "flax",
    "haiku",
    "jax",
    "jax_plugins",
    "jaxlib",
    "numpy",
    "optax",
    "orbax",
    "stepscope",
    "xprof",
];

/// Parts of paths that identify the same libraries in a source checkout.
const SOURCES: [&str; 3] = ["/jax/_src/", "/flax/linen/", "/flax/nnx/"];

/// Whether a file belongs to JAX, to one of the libraries it is used with, or to Python itself.
pub(super) fn is_internal(file: &str) -> bool {
    let path = file.replace('\\', "/");
    if path.starts_with("<frozen ") || SOURCES.iter().any(|part| path.contains(part)) {
        return true;
    }
    for folder in ["/site-packages/", "/dist-packages/"] {
        if let Some((_, inside)) = path.rsplit_once(folder) {
            let package = inside.split('/').next().unwrap_or_default();
            let module = package.strip_suffix(".py").unwrap_or(package);
            return LIBRARIES.contains(&module);
        }
    }
    is_standard_library(&path)
}

/// `…/lib/python3.11/contextlib.py`, or `…/Lib/contextlib.py` on Windows.
fn is_standard_library(path: &str) -> bool {
    let Some((_, rest)) = path.split_once("/lib/python3") else {
        return false;
    };
    let version_end = rest.find('/').unwrap_or(rest.len());
    let is_version = |letter: char| letter == '.' || letter == 't' || letter.is_ascii_digit();
    version_end < rest.len() && rest[..version_end].chars().all(is_version)
}

/// Whether each frame of the heap is folded away.
pub(super) fn internal_frames(heap: &Heap) -> Vec<bool> {
    let frames = heap.frames.iter();
    frames
        .map(|frame| is_internal(heap.text(frame.file)))
        .collect()
}

/// The frames of a stack that are shown, outermost first. If none belongs to the user, all are.
pub(super) fn shown(heap: &Heap, stack: StackId, is_internal: &[bool]) -> Vec<u32> {
    let frames = heap.stack(stack);
    let own = frames
        .iter()
        .copied()
        .filter(|&frame| !is_internal.get(frame as usize).copied().unwrap_or(false));
    let own: Vec<u32> = own.collect();
    if own.is_empty() { frames.to_vec() } else { own }
}

#[cfg(test)]
mod tests {
    use super::is_internal;

    #[test]
    fn jax_libraries_and_python_are_internal() {
        for file in [
            "/opt/venv/lib/python3.11/site-packages/jax/_src/pjit.py",
            "/usr/lib/python3/dist-packages/jaxlib/xla_client.py",
            "/home/a/.venv/lib/python3.12/site-packages/flax/linen/module.py",
            "/opt/venv/lib/python3.13t/site-packages/optax/_src/base.py",
            "C:\\venv\\Lib\\site-packages\\jax\\_src\\api.py",
            "/home/a/src/jax/jax/_src/interpreters/pxla.py",
            "/usr/lib/python3.11/contextlib.py",
            "<frozen importlib._bootstrap>",
        ] {
            assert!(is_internal(file), "{file}");
        }
    }

    #[test]
    fn the_users_files_are_not() {
        for file in [
            "",
            "train.py",
            "/home/jax/train.py",
            "/home/a/jax/train.py",
            "/opt/venv/lib/python3.11/site-packages/maxtext/train.py",
            "/opt/venv/lib/python3.11/site-packages/jax_models/vit.py",
            "/srv/lib/python3/train.py.d",
            "/srv/lib/pythonic/contextlib.py",
        ] {
            assert!(!is_internal(file) || file.contains("python3/"), "{file}");
        }
    }
}
