//! `slices`: every slice, read as columns. Filters on tracks and labels are applied to these, before
//! any slice is looked at; tracks that none of them keeps stay in the file.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema};
use stepscope_export::arrow::TextType;
use stepscope_export::slices::COLUMNS;
use stepscope_export::{SliceBatches, Slices};
use stepscope_model::{Lane, Picos, Session, Span, TrackId};

use super::table::{Opened, Receive, Rows, SqlColumn, SqlTable};
use crate::asking::Ask;

/// Columns that all slices of a track share, and those of a label.
const OF_TRACKS: [&str; 6] = ["host", "device", "track", "track_index", "line_id", "role"];
const OF_LABELS: [&str; 9] = [
    "name",
    "kind",
    "class",
    "op",
    "category",
    "program",
    "program_id",
    "scope",
    "source",
];

/// Columns whose filters [`chosen`] applies.
pub(super) const EARLY: &[&[&str]] = &[&OF_TRACKS, &OF_LABELS];

pub(super) fn table() -> SqlTable {
    SqlTable {
        name: stepscope_export::slices::NAME.to_owned(),
        meaning: "Every slice of every track: ops, kernels, copies, host functions".to_owned(),
        columns: COLUMNS.iter().copied().map(SqlColumn::of).collect(),
        options: Vec::new(),
        text: TextType::View,
        rows: Arc::new(SliceRows),
    }
}

#[derive(Debug)]
struct SliceRows;

impl Rows for SliceRows {
    fn is_divisible(&self) -> bool {
        true
    }

    fn filtered_early(&self) -> &[&[&str]] {
        EARLY
    }

    fn read(
        &self,
        opened: &Opened<'_>,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<(), ArrowError> {
        let session = &opened.session;
        let time = ask.range("start_ps").map(|(from, to)| {
            // Spans do not contain their end.
            Span::new(Picos(from), Picos(to.saturating_add(1)))
        });
        let all = Slices::starting_in(Arc::clone(session), time);
        let (tracks, labels) = chosen(&all, session, ask, TextType::View)?;
        let slices = all.only(&tracks, labels);
        let position = |key: &str| COLUMNS.iter().position(|column| column.key == key);
        let columns = ask.columns.iter().filter_map(|column| position(column.key));
        let batches = SliceBatches::new(Arc::new(slices), columns.collect(), TextType::View);
        for batch in batches {
            if !send(batch?) {
                break;
            }
        }
        Ok(())
    }
}

/// What of a table of slices the filters on tracks and labels keep: which tracks, of the share of
/// this reader, and which labels, `None` for all. `text` is the type of the table's texts.
pub(super) fn chosen(
    all: &Slices<Arc<Session>>,
    session: &Session,
    ask: &Ask,
    text: TextType,
) -> Result<(Vec<bool>, Option<Vec<bool>>), ArrowError> {
    let tracks = kept(ask, &OF_TRACKS, |columns| all.of_tracks(columns, text))?;
    let labels = kept(ask, &OF_LABELS, |columns| all.of_labels(columns, text))?;
    Ok((shared(session, tracks, ask.share), labels))
}

/// Which tracks or labels the filters on their columns keep; `None` for all.
fn kept(
    ask: &Ask,
    keys: &[&str],
    values: impl Fn(&[usize]) -> Vec<(usize, ArrayRef)>,
) -> Result<Option<Vec<bool>>, ArrowError> {
    let filters = ask.filters_on(keys);
    if filters.is_empty() {
        return Ok(None);
    }
    let needed = |column: &&str| filters.iter().any(|filter| filter.names(column));
    let used = COLUMNS.iter().enumerate();
    let used = used.filter(|(_, column)| keys.contains(&column.key) && needed(&column.key));
    let used: Vec<usize> = used.map(|(position, _)| position).collect();
    let columns = values(&used);
    let field = |(column, values): &(usize, ArrayRef)| {
        Field::new(COLUMNS[*column].key, values.data_type().clone(), true)
    };
    let fields: Vec<Field> = columns.iter().map(field).collect();
    let arrays = columns.into_iter().map(|(_, values)| values).collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?;
    let mut kept: Option<Vec<bool>> = None;
    for filter in filters {
        let own = filter.evaluate(&batch)?;
        let own = own.as_any().downcast_ref::<BooleanArray>();
        let own =
            own.ok_or_else(|| ArrowError::CastError("a filter is no condition".to_owned()))?;
        // What is unknown is not kept.
        let own = own.iter().map(|value| value == Some(true));
        kept = Some(match kept {
            None => own.collect(),
            Some(before) => before
                .iter()
                .zip(own)
                .map(|(&before, own)| before && own)
                .collect(),
        });
    }
    Ok(kept)
}

/// The tracks of one of several readers: all have about as many slices.
fn shared(session: &Session, kept: Option<Vec<bool>>, share: (usize, usize)) -> Vec<bool> {
    let mut kept = kept.unwrap_or_else(|| vec![true; session.tracks.len()]);
    let (own, readers) = share;
    if readers < 2 {
        return kept;
    }
    let size = |id: &TrackId| -> usize { session.track(*id).lanes.iter().map(Lane::len).sum() };
    let chosen = session.track_ids().filter(|id| kept[id.index()]);
    let mut tracks: Vec<(usize, TrackId)> = chosen.map(|id| (size(&id), id)).collect();
    tracks.sort_by_key(|&(size, id)| (std::cmp::Reverse(size), id.0));
    let mut loads = vec![0_usize; readers];
    for (size, id) in tracks {
        let least = (0..readers)
            .min_by_key(|&reader| loads[reader])
            .unwrap_or(0);
        loads[least] += size;
        kept[id.index()] = least == own;
    }
    kept
}
