//! Copies of which nothing tells between whom they are.

use stepscope_model::{Direction, Session};

use super::format;
use super::note::Note;
use crate::measuring::selection::Selected;
use crate::measuring::totals::work_totals;

/// What parts of steps do with copies whose direction is unknown, if there are any.
pub(crate) fn unknown_copies(session: &Session, selected: &Selected<'_>) -> Option<Note> {
    let is_unknown = |label: &stepscope_model::Label| {
        let transfer = label.transfer;
        transfer.is_some_and(|transfer| transfer.direction == Direction::Other)
    };
    // Labels are few, and hardly any session has such copies.
    if !session.labels.iter().any(is_unknown) {
        return None;
    }
    let totals = work_totals(session, selected);
    let labels = totals.iter().flat_map(|of_one| &of_one.labels);
    let unknown = labels.filter(|(id, _)| is_unknown(session.label(*id)));
    let (count, time_ps) = unknown.fold((0i64, 0i64), |(count, time), (_, own)| {
        (
            count.saturating_add(own.occurrences),
            time.saturating_add(own.total_ps),
        )
    });
    let (copies, verb) = match count {
        0 => return None,
        1 => ("1 copy".to_owned(), "is"),
        count => (format!("{count} copies"), "are"),
    };
    let time = format::duration_ps(time_ps as f64);
    Some(Note::info(
        "directions-unknown",
        format!(
            "{copies} ({time}), whose direction neither the copy nor its launch says, {verb} counted as \
             device to device."
        ),
    ))
}
