//! Whose code a Python frame is: the program's own, or that of a library.
//!
//! Frames say only the last part of their file's path, such as `$core.py:31 fit`, so a list of files of
//! well-known libraries decides. Programs that were traced from Python know better, if they have HLO: it has
//! the functions that were around each op while it was traced, with full paths.
//!
//! ```text
//! frame                   HLO                                              whose
//! $core.py:31 fit         /home/me/core.py  fit                            the program's, although listed
//! $pid.py:64 adapt        …/site-packages/diffrax/…/pid.py  adapt          a library's, although not listed
//! ```

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::program::Program;
use crate::session::Session;
use crate::vendor::library_files::is_library_frame;

/// Folders below which no code is the program's.
const LIBRARY_FOLDERS: [&str; 3] = ["site-packages", "dist-packages", "_src"];

/// The Python functions that programs were traced from, by the name of their file and their own.
#[derive(Debug, Default)]
pub(crate) struct OwnCode(FxHashMap<String, FxHashMap<String, Whose>>);

/// Whose functions of one name are; files of one name may be in several places.
#[derive(Debug, Clone, Copy, Default)]
struct Whose {
    is_own: bool,
    is_library: bool,
}

impl OwnCode {
    /// That of a session's programs.
    pub(crate) fn of(programs: &[Program]) -> Self {
        let mut code: FxHashMap<String, FxHashMap<String, Whose>> = FxHashMap::default();
        let mut has_own = false;
        let hlo = programs.iter().filter_map(|program| program.hlo.as_ref());
        for function in hlo.flat_map(|hlo| &hlo.functions) {
            let (folder, file) = match function.file.rsplit_once(['/', '\\']) {
                Some((folder, file)) => (folder, file),
                None => ("", function.file.as_str()),
            };
            // Frames have the bare name: `step` of `Trainer.fit.<locals>.step`.
            let name = function.name.rsplit('.').next().unwrap_or_default();
            let of_file = code.entry(file.to_owned()).or_default();
            let known = of_file.entry(name.to_owned()).or_default();
            let is_library = is_of_library(folder);
            known.is_library |= is_library;
            known.is_own |= !is_library;
            has_own |= !is_library;
        }
        // A program that is installed as a package has no other code.
        if has_own { Self(code) } else { Self::default() }
    }

    /// Whether a frame is of a library, `$core.py:31 fit`: it says how something is done, not which code
    /// needs it.
    pub(crate) fn is_library_frame(&self, name: &str) -> bool {
        let is_listed = is_library_frame(name);
        let known = parts(name).and_then(|(file, function)| self.0.get(file)?.get(function));
        match known {
            Some(whose) if whose.is_own != whose.is_library => whose.is_library,
            _ => is_listed,
        }
    }
}

/// The file and the function of a frame.
fn parts(frame: &str) -> Option<(&str, &str)> {
    let (place, function) = frame.trim_start_matches('$').split_once(' ')?;
    let (file, _) = place.rsplit_once(':')?;
    Some((file, function))
}

fn is_of_library(folder: &str) -> bool {
    let mut parts = folder.split(['/', '\\']);
    parts.any(|part| LIBRARY_FOLDERS.contains(&part) || is_python(part))
}

/// `python3.13`, where Python keeps its own library.
fn is_python(folder: &str) -> bool {
    let version = folder.strip_prefix("python3.");
    version.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
}

impl Session {
    /// Whether a Python frame is of a library, and not of the program's own code.
    pub fn is_library_frame(&self, name: &str) -> bool {
        self.own_code().is_library_frame(name)
    }

    /// Found on first use.
    pub(crate) fn own_code(&self) -> Arc<OwnCode> {
        self.memo.get_or_compute(|| OwnCode::of(&self.programs))
    }
}

#[cfg(test)]
mod tests {
    use stepscope_hlo as hlo;

    use super::*;

    fn code(functions: &[(&str, &str)]) -> OwnCode {
        let functions = functions.iter().map(|&(file, name)| hlo::SourceFunction {
            file: file.to_owned(),
            name: name.to_owned(),
        });
        let mut traced = hlo::Program::default();
        traced.functions = functions.collect();
        let program = Program {
            hlo: Some(traced),
            ..Program::default()
        };
        OwnCode::of(&[program])
    }

    #[test]
    fn full_paths_decide_and_the_list_decides_the_rest() {
        let code = code(&[
            ("/home/me/core.py", "Trainer.fit"),
            ("/opt/lib/python3.13/site-packages/diffrax/pid.py", "adapt"),
            ("/home/me/module.py", "init"),
            ("/opt/lib/python3.13/site-packages/flax/module.py", "init"),
        ]);
        assert!(!code.is_library_frame("$core.py:31 fit"), "the program's");
        assert!(code.is_library_frame("$core.py:31 bind"), "listed");
        assert!(code.is_library_frame("$pid.py:64 adapt"), "a library's");
        assert!(!code.is_library_frame("$pid.py:64 own"), "unknown");
        assert!(code.is_library_frame("$module.py:9 init"), "both: listed");
    }

    #[test]
    fn an_installed_program_is_no_library() {
        let code = code(&[("/opt/lib/python3.13/site-packages/maxtext/fit.py", "main")]);
        assert!(!code.is_library_frame("$fit.py:31 main"));
    }
}
