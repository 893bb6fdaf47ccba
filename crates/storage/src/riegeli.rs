//! Words for what a Riegeli file has lost.

use stepscope_riegeli::{Cause, Joined, Lost};

/// Losses that are named by their places.
const NAMED: usize = 3;

/// What of a file is not shown, and what is; none for a whole one.
pub(crate) fn problem(joined: &Joined, size_bytes: u64) -> Option<String> {
    let lost = &joined.lost;
    if lost.is_empty() {
        return None;
    }
    let shown = match joined.records {
        0 => "no record of it is whole".to_owned(),
        1 => "the 1 record that is whole is shown".to_owned(),
        count => format!("the {count} records that are whole are shown"),
    };
    if let ([_], Some(begin)) = (lost.first.as_slice(), lost.cut_at) {
        return Some(format!(
            "the Riegeli file is cut short: it ends at byte {size_bytes}, within the chunk that begins \
             at byte {begin}; {shown}"
        ));
    }
    let mut places: Vec<String> = lost.first.iter().take(NAMED).map(place).collect();
    let more = lost.count - places.len() as u64;
    if more > 0 {
        places.push(format!("and {more} more"));
    }
    let records = match lost.records {
        0 => String::new(),
        1 => ", 1 record or more".to_owned(),
        count => format!(", {count} records or more"),
    };
    let parts = match lost.count {
        1 => "1 damaged part".to_owned(),
        count => format!("{count} damaged parts"),
    };
    Some(format!(
        "{parts} of the Riegeli file, {} of its {size_bytes} bytes{records}, are left out ({}); {shown}",
        lost.bytes,
        places.join("; ")
    ))
}

fn place(lost: &Lost) -> String {
    let cause: Cause = lost.cause;
    format!("bytes {} to {}: {cause}", lost.range.start, lost.range.end)
}
