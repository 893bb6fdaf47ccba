//! A gap: what the host did while a device did nothing.

use stepscope_analysis::asking::Report as _;
use stepscope_analysis::views::idle::{GapRow, Idle, IdleReport};
use stepscope_analysis::{Analysis as _, AnalysisError, Entry};

use super::about::{About, Explained, address};
use crate::asked::options;
use crate::link::Range;
use crate::page::Whole;
use crate::roots::Refusal;
use crate::tables;

/// A gap, by its number in the list.
pub(super) fn explain(about: &About<'_>, id: &str, entry: &Entry) -> Result<Explained, Refusal> {
    let again = about.ask(entry, Vec::new(), "the gaps, longest first");
    let again = again.with("table", "rows");
    let report = gaps(about).map_err(|error| about.refused(error, entry))?;
    let tables = report.tables();
    let rows = tables.iter().find(|table| table.key == "rows");
    let number: Option<usize> = id.parse().ok();
    let found = number.and_then(|number| Some((report.rows.get(number)?, rows?, number)));
    let (gap, table, number) = found.ok_or_else(|| {
        Refusal::new(format!("{id:?} is not the number of a gap."))
            .hint(format!(
                "There are {}, numbered from 0, longest first.",
                report.rows.len()
            ))
            .next(again.clone())
    })?;
    let mut whole = Whole::new(format!("gap {id}"), about.handle);
    if let Some(row) = table.rows.get(number) {
        tables::push_facts(&mut whole, &table.columns, row);
    }
    if let Some(slice) = gap.slice {
        whole.told("slice", &address(slice));
        let next = about.slice(slice, "the call that took most of the gap");
        whole.next.push(next);
    }
    if let Some(causes) = tables.iter().find(|table| table.key == "causes") {
        let pushed = tables::push(&mut whole, causes, &tables::Columns::Essential, Some(8));
        pushed.map_err(Refusal::new)?;
    }
    whole.next.push(again);
    Ok(Explained {
        whole,
        view: "timeline".to_owned(),
        parameters: on_timeline(gap),
    })
}

/// All gaps of the part that was asked for.
fn gaps(about: &About<'_>) -> Result<IdleReport, AnalysisError> {
    let mut pairs = about.pairs.clone();
    pairs.push(("limit".to_owned(), "0".to_owned()));
    let options = options::<Idle>(&pairs)?;
    let session = &about.open.session;
    AnalysisError::unless_changed(session, || Idle::run(session, &options))
}

fn on_timeline(gap: &GapRow) -> Vec<(String, String)> {
    let range = Range {
        start_ps: gap.start_ps,
        end_ps: gap.start_ps.saturating_add(gap.duration_ps),
        place: &gap.device,
        op: "",
        slice: gap.slice,
    };
    range.parameters()
}
