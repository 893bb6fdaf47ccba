//! Why a selection of device work is empty.

use super::Note;
use crate::measuring::selection::Selected;

/// A selection without work: nothing matches its pattern, or nothing was recorded. `so` says what follows,
/// such as `, so there is no tree to show`.
pub(crate) fn no_device_work(selected: &Selected<'_>, so: &str) -> Note {
    match selected.pattern() {
        Some(pattern) => Note::warning(
            "nothing-matches",
            format!("No device work in this selection matches `{pattern}`{so}."),
        ),
        None => Note::warning(
            "no-device-work",
            format!("No device work was recorded in this selection{so}."),
        ),
    }
}
