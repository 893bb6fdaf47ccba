//! Messages between TPU slices (megascale), by the slice they come from: who is far or slow.
//!
//! The host records each message where it arrives, with the slices at both ends, its size and how long
//! it was under way. Messages of one rendezvous from one slice are a row:
//!
//! ```text
//! host events "MegaScale: …"   dcn_label, dcn_source_slice_id, dcn_destination_slice_id,
//!                              payload_size_bytes, duration_us
//! ```

use std::collections::BTreeMap;

use stepscope_model::details::Stat;
use stepscope_model::{Session, SliceId, Span};

use super::rendezvous::slice_id;
use super::report::{PeerRow, RendezvousRow};
use super::rows::signed;
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::views::kernels::latency::Latency;

/// How the names of these events begin.
const PREFIX: &str = "MegaScale:";
/// Messages whose stats are read.
const MAX_MESSAGES: usize = 200_000;

/// One message.
#[derive(Debug, Default, PartialEq)]
struct Message {
    label: String,
    source: i64,
    destination: i64,
    bytes: Option<u64>,
    duration_ps: i64,
}

/// Messages of one rendezvous between two slices.
#[derive(Default)]
struct Sums {
    bytes: u64,
    durations_ps: Vec<i64>,
    worst: Option<(i64, Span, SliceId)>,
}

/// One row for each rendezvous and pair of slices, slowest first, and what was not read.
pub(super) fn peers(
    session: &Session,
    selected: &Selected<'_>,
    rendezvous: &[RendezvousRow],
) -> (Vec<PeerRow>, Option<Note>) {
    let mut slices = messages(session, selected);
    let count = slices.len();
    slices.truncate(MAX_MESSAGES);
    let ids: Vec<SliceId> = slices.iter().map(|&(_, id)| id).collect();
    let mut found: BTreeMap<(String, i64, i64), Sums> = BTreeMap::new();
    for ((span, id), stats) in slices.into_iter().zip(session.stats_of(&ids)) {
        let Some(message) = message(&stats, span) else {
            continue;
        };
        let key = (message.label, message.source, message.destination);
        let sums = found.entry(key).or_default();
        sums.bytes = sums.bytes.saturating_add(message.bytes.unwrap_or_default());
        sums.durations_ps.push(message.duration_ps);
        if sums
            .worst
            .is_none_or(|(worst, ..)| message.duration_ps > worst)
        {
            sums.worst = Some((message.duration_ps, span, id));
        }
    }
    let rows = found
        .into_iter()
        .filter_map(|(key, sums)| row(key, sums, rendezvous));
    let mut rows: Vec<PeerRow> = rows
        .filter(|row| selected.matches(&[&row.rendezvous]))
        .collect();
    rows.sort_by(|a, b| (b.p99_ps.cmp(&a.p99_ps)).then_with(|| a.rendezvous.cmp(&b.rendezvous)));
    let note = (count > MAX_MESSAGES).then(|| {
        Note::info(
            "peers-cut",
            format!(
                "Messages between slices: the first {MAX_MESSAGES} of {count} are counted. Select \
                 steps to see others."
            ),
        )
    });
    (rows, note)
}

/// The messages that arrived in the selected times, in order.
fn messages(session: &Session, selected: &Selected<'_>) -> Vec<(Span, SliceId)> {
    let is_message: Vec<bool> = session
        .labels
        .iter()
        .map(|label| session.text(label.name).starts_with(PREFIX))
        .collect();
    if !is_message.contains(&true) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for id in session.track_ids() {
        let track = session.track(id);
        if track.device.is_some() || !selected.hosts.contains(&track.host) {
            continue;
        }
        let Some(track) = session.track_having(id, |label| is_message[label.index()]) else {
            continue;
        };
        let windows = selected.host_windows(track.host);
        for (lane_number, lane) in track.lanes.iter().enumerate() {
            for index in selected.slices(lane, windows.spans()).into_iter().flatten() {
                if is_message[lane.labels()[index].index()] {
                    found.push((lane.span(index), slice_id(id, lane_number, index)));
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// `None` for events that are no messages: they name no slices.
fn message(stats: &[Stat], span: Span) -> Option<Message> {
    let value = |name: &str| {
        let found = stats.iter().find(|stat| stat.name == name);
        found.map(|stat| stat.value.as_str())
    };
    let number = |name: &str| value(name)?.parse::<i64>().ok();
    let micros = number("duration_us").filter(|&micros| micros >= 0);
    let duration_ps = micros.map_or(span.duration().0, |micros| micros.saturating_mul(1_000_000));
    Some(Message {
        label: value("dcn_label").unwrap_or_default().to_owned(),
        source: number("dcn_source_slice_id")?,
        destination: number("dcn_destination_slice_id")?,
        bytes: number("payload_size_bytes").and_then(|bytes| u64::try_from(bytes).ok()),
        duration_ps,
    })
}

fn row(
    (label, source, destination): (String, i64, i64),
    sums: Sums,
    rendezvous: &[RendezvousRow],
) -> Option<PeerRow> {
    let (_, span, slice) = sums.worst?;
    let message_count = sums.durations_ps.len();
    let latency = Latency::of(sums.durations_ps);
    let own = rendezvous.iter().find(|row| row.rendezvous == label);
    Some(PeerRow {
        source_slice: source,
        destination_slice: destination,
        message_count: signed(message_count as u64),
        bytes: (sums.bytes > 0).then(|| signed(sums.bytes)),
        mean_ps: latency.mean_ps.unwrap_or_default(),
        p50_ps: latency.p50_ps.unwrap_or_default(),
        p99_ps: latency.p99_ps.unwrap_or_default(),
        max_ps: latency.max_ps.unwrap_or_default(),
        recv_op: own.map(|row| row.recv_op.clone()).unwrap_or_default(),
        recv_done_p99_ps: own.and_then(|row| row.recv_done_p99_ps),
        rendezvous: label,
        start_ps: span.start.0,
        slice: slice.into(),
    })
}

#[cfg(test)]
mod tests {
    use stepscope_model::Picos;

    use super::*;

    fn stats(values: &[(&str, &str)]) -> Vec<Stat> {
        let stat = |&(name, value): &(&str, &str)| Stat {
            name: name.to_owned(),
            value: value.to_owned(),
            is_constant: false,
        };
        values.iter().map(stat).collect()
    }

    #[test]
    fn a_message_names_both_slices() {
        let span = Span {
            start: Picos(10),
            end: Picos(17),
        };
        let ends = [
            ("dcn_source_slice_id", "3"),
            ("dcn_destination_slice_id", "0"),
        ];
        let bare = message(&stats(&ends), span).expect("a message");
        assert_eq!((bare.source, bare.destination, bare.duration_ps), (3, 0, 7));
        assert_eq!(bare.bytes, None);
        let more = [
            ("dcn_label", "ar.5"),
            ("duration_us", "250"),
            ("payload_size_bytes", "4096"),
        ];
        let all = message(&stats(&[&ends[..], &more].concat()), span).expect("a message");
        let expected = Message {
            label: "ar.5".to_owned(),
            source: 3,
            destination: 0,
            bytes: Some(4096),
            duration_ps: 250_000_000,
        };
        assert_eq!(all, expected);
        assert_eq!(message(&stats(&more), span), None);
    }
}
