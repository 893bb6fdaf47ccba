//! `slices`: every slice, read as columns. Filters on tracks, labels and steps are applied to these,
//! before any slice is looked at; tracks that none of them keeps stay in the file.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use stepscope_export::arrow::TextType;
use stepscope_export::slices::COLUMNS;
use stepscope_export::{SliceBatches, Slices};
use stepscope_model::{Lane, Picos, Session, Span, TrackId};

use super::table::{Opened, Receive, Rows, SqlColumn, SqlTable};
use crate::asking::Ask;

/// Columns that all slices of a track share, those of a label, and that of a step.
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
const OF_STEPS: [&str; 1] = ["step"];

/// Columns whose filters [`chosen`] applies.
const EARLY: &[&[&str]] = &[&OF_TRACKS, &OF_LABELS, &OF_STEPS];

/// Columns that follow from the file of a host and the clocks of all. The others do not: which steps
/// there are, how many tracks are before one, what is an annotation of steps, and which op a kernel
/// of a graph belongs to is decided over all hosts.
const OF_HOSTS: [&str; 14] = [
    "session",
    "host",
    "device",
    "track",
    "line_id",
    "role",
    "lane",
    "depth",
    "index",
    "name",
    "kind",
    "start_ps",
    "duration_ps",
    "self_ps",
];

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

    fn of_hosts(&self) -> &[&str] {
        &OF_HOSTS
    }

    fn read(
        &self,
        opened: &Opened<'_>,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<(), ArrowError> {
        let slices = chosen(&opened.session, ask, TextType::View)?;
        (opened.count_slices)(slices.read_count());
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

/// The slices that filters on tracks, labels, steps and the start keep, of the share of this reader.
/// `text` is the type of the table's texts.
pub(super) fn chosen(
    session: &Arc<Session>,
    ask: &Ask,
    text: TextType,
) -> Result<Slices<Arc<Session>>, ArrowError> {
    let time = ask.range("start_ps").map(|(from, to)| {
        // Spans do not contain their end.
        Span::new(Picos(from), Picos(to.saturating_add(1)))
    });
    let all = Slices::starting_in(Arc::clone(session), time);
    let tracks = kept(ask, &OF_TRACKS, |columns| all.of_tracks(columns, text))?;
    let labels = kept(ask, &OF_LABELS, |columns| all.of_labels(columns, text))?;
    let steps = all.step_numbers();
    let numbers = steps.iter().copied().map(Some);
    let kept_steps = ask.kept(&OF_STEPS, |_| {
        // The last row is that of slices in no step.
        let values: Int64Array = numbers.chain([None]).collect();
        let schema = Schema::new(vec![Field::new("step", DataType::Int64, true)]);
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(values)])
    })?;
    let all = match kept_steps {
        None => all,
        Some(kept) => all.in_steps(&|number| match number {
            Some(number) => steps.binary_search(&number).is_ok_and(|at| kept[at]),
            None => kept[steps.len()],
        }),
    };
    Ok(all.only(&shared(session, tracks, ask.share), labels))
}

/// Which tracks or labels the filters on their columns keep; `None` for all.
fn kept(
    ask: &Ask,
    keys: &[&str],
    values: impl Fn(&[usize]) -> Vec<(usize, ArrayRef)>,
) -> Result<Option<Vec<bool>>, ArrowError> {
    ask.kept(keys, |is_needed| {
        let used = COLUMNS.iter().enumerate();
        let used = used.filter(|(_, column)| keys.contains(&column.key) && is_needed(column.key));
        let used: Vec<usize> = used.map(|(position, _)| position).collect();
        let columns = values(&used);
        let field = |(column, values): &(usize, ArrayRef)| {
            Field::new(COLUMNS[*column].key, values.data_type().clone(), true)
        };
        let fields: Vec<Field> = columns.iter().map(field).collect();
        let arrays = columns.into_iter().map(|(_, values)| values).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
    })
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
