//! Messages about the losses of a Riegeli file.

use stepscope_riegeli::{Cause, Joined, Lost};

/// How many losses are listed with their location.
const NAMED: usize = 3;

/// What is missing from a file, and what is shown; `None` for a complete file.
pub(crate) fn problem(joined: &Joined, size_bytes: u64) -> Option<String> {
    let lost = &joined.lost;
    if lost.is_empty() {
        return None;
    }
    let shown = match joined.records {
        0 => "it has no complete record".to_owned(),
        1 => "the 1 complete record is shown".to_owned(),
        count => format!("the {count} complete records are shown"),
    };
    if let ([_], Some(begin)) = (lost.first.as_slice(), lost.cut_at) {
        return Some(format!(
            "the Riegeli file is truncated: it ends at byte {size_bytes}, within the chunk that \
                starts \
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
        1 => ", at least 1 record".to_owned(),
        count => format!(", at least {count} records"),
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
