//! The replay of a session for advice, unless it would take long.

use stepscope_model::Session;

use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::views::replay::size;
use crate::views::what_if::Scenarios;

/// Slices of work up to which a session is replayed for advice, so that it stays quick.
const MOST_SLICES: usize = 400_000;

/// The replay of a session with steps. An error says why gains stay upper bounds.
pub(super) fn scenarios<'a>(
    session: &'a Session,
    selected: &Selected<'_>,
) -> Result<Scenarios<'a>, Note> {
    if size::slices(session) > MOST_SLICES {
        return Err(Note::info(
            "gains-not-replayed",
            "The recording is large, so gains are upper bounds and were not replayed.",
        )
        .with_hint("`stepscope what_if PATH` replays them"));
    }
    Scenarios::of(session, selected).map_err(|why| {
        Note::info(
            "gains-not-replayed",
            format!("Gains are upper bounds and were not replayed: {why}"),
        )
    })
}
