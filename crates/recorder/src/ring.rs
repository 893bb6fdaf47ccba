//! A rank's ring: who wrote it, and its steps, from the bytes of the file.
//!
//! ```text
//! page 0      magic, version, bytes of a record, records, bytes of the text; then one JSON object
//! page 0, end last sign of life (unix), whether the process ended, number of records then
//! then        records of 128 bytes: number, step, end (perf_counter), step time, which metrics are
//!             known, 8 metrics, number again
//! ```
//!
//! All little endian, times in ns. A record whose two numbers differ was being written.

use serde_json::Value;

const MAGIC: &[u8] = b"stepring";
const VERSION: u32 = 1;
pub(crate) const HEADER_BYTES: usize = 4096;
const RECORD_BYTES: usize = 128;
/// Where the text begins, after the sizes.
const TEXT_AT: usize = 28;
/// Where the last sign of life stands.
const BEAT_AT: usize = HEADER_BYTES - 24;
/// Where a record says which metrics it has, and where they stand.
const KNOWN_AT: usize = 32;
const METRICS_AT: usize = 40;
const METRICS_MAX: usize = 8;
/// Where the number of a record stands the second time.
const AGAIN_AT: usize = 104;

/// Who wrote a ring, and when it last showed life.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RingHead {
    /// What the process says of itself.
    pub(crate) about: Value,
    /// When it last showed life, since the Unix epoch.
    pub(crate) beat_ns: u64,
    /// Whether it ended normally.
    pub(crate) is_ended: bool,
    /// Records that there were at that sign.
    pub(crate) count: u64,
    /// Records that the ring holds.
    pub(crate) capacity: u64,
}

impl RingHead {
    /// Where the record after so many others stands in the file.
    pub(crate) fn place_after(&self, count: u64) -> u64 {
        let position = count.checked_rem(self.capacity).unwrap_or_default();
        HEADER_BYTES as u64 + position.saturating_mul(RECORD_BYTES as u64)
    }
}

/// One step of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RingStep {
    /// Its position among all records of the rank, from 1.
    pub(crate) number: u64,
    pub(crate) step: i64,
    /// When it ended, since the Unix epoch.
    pub(crate) ended_ns: i64,
    /// Since the end of the step before.
    pub(crate) step_ns: u64,
}

/// What a metric was in the steps that have it, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RingMetric {
    pub(crate) name: String,
    /// Step, its end since the Unix epoch in ns, and the value.
    pub(crate) values: Vec<(i64, i64, f64)>,
}

/// The first page of a ring; `None` if the bytes are no ring of this version.
pub(crate) fn head(bytes: &[u8]) -> Option<RingHead> {
    let header = bytes.get(..HEADER_BYTES)?;
    let is_known = header.starts_with(MAGIC)
        && u32_at(header, 8)? == VERSION
        && u32_at(header, 12)? as usize == RECORD_BYTES;
    if !is_known {
        return None;
    }
    let length = u32_at(header, 24)? as usize;
    let text = header.get(TEXT_AT..TEXT_AT.checked_add(length)?)?;
    Some(RingHead {
        about: serde_json::from_slice(text).ok()?,
        beat_ns: u64_at(header, BEAT_AT)?,
        is_ended: u64_at(header, BEAT_AT + 8)? != 0,
        count: u64_at(header, BEAT_AT + 16)?,
        capacity: u64_at(header, 16)?,
    })
}

/// The newest step among records.
pub(crate) fn newest(records: &[u8]) -> Option<i64> {
    let records = records.chunks_exact(RECORD_BYTES);
    let steps = records.filter_map(|record| step_of(record, 0));
    steps.max_by_key(|step| step.number).map(|step| step.step)
}

/// The steps in a ring, oldest first; `None` if the bytes are no ring of this version.
pub(crate) fn steps(bytes: &[u8]) -> Option<Vec<RingStep>> {
    let records = records(bytes, &head(bytes)?)?;
    Some(records.into_iter().map(|(step, _)| step).collect())
}

/// The metrics in a ring, in the order in which they were first recorded.
pub(crate) fn metrics(bytes: &[u8]) -> Option<Vec<RingMetric>> {
    let head = head(bytes)?;
    let names = head.about["metrics"].as_array()?.iter();
    let names = names.map(|name| name.as_str().unwrap_or("unknown").to_owned());
    let records = records(bytes, &head)?;
    let metrics = names.take(METRICS_MAX).enumerate().map(|(slot, name)| {
        let values = records.iter().filter_map(|(step, record)| {
            let is_known = u64_at(record, KNOWN_AT)? >> slot & 1 == 1;
            let value = f64::from_bits(u64_at(record, METRICS_AT + 8 * slot)?);
            is_known.then_some((step.step, step.ended_ns, value))
        });
        RingMetric {
            name,
            values: values.collect(),
        }
    });
    Some(metrics.collect())
}

/// The records that are whole, oldest first, with their bytes.
fn records<'a>(bytes: &'a [u8], head: &RingHead) -> Option<Vec<(RingStep, &'a [u8])>> {
    let zero_ns = head.about["unix_ns_at_zero"].as_i64().unwrap_or_default();
    let records = bytes.get(HEADER_BYTES..)?.chunks_exact(RECORD_BYTES);
    let mut records: Vec<(RingStep, &[u8])> = records
        .filter_map(|record| Some((step_of(record, zero_ns)?, record)))
        .collect();
    records.sort_by_key(|(step, _)| step.number);
    Some(records)
}

fn step_of(record: &[u8], zero_ns: i64) -> Option<RingStep> {
    let number = u64_at(record, 0)?;
    if number == 0 || u64_at(record, AGAIN_AT)? != number {
        return None;
    }
    Some(RingStep {
        number,
        step: i64_at(record, 8)?,
        ended_ns: zero_ns.checked_add(i64_at(record, 16)?)?,
        step_ns: u64::try_from(i64_at(record, 24)?).ok()?,
    })
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*eight))
}

fn i64_at(bytes: &[u8], at: usize) -> Option<i64> {
    let eight = bytes.get(at..)?.first_chunk()?;
    Some(i64::from_le_bytes(*eight))
}

/// A ring as Python writes it, for tests: records of number, step, end and step time.
#[cfg(test)]
pub(crate) fn drawn(records: &[(u64, i64, i64, i64)]) -> Vec<u8> {
    let about = serde_json::json!({ "rank": 0, "unix_ns_at_zero": 1000 });
    let mut bytes = drawn_head(&about, 0, true);
    for record in records {
        push_drawn(&mut bytes, *record, &[]);
    }
    bytes
}

/// The first page of one, with what it says of the process, the last sign of life, and whether it
/// ended.
#[cfg(test)]
pub(crate) fn drawn_head(about: &Value, beat_ns: u64, is_ended: bool) -> Vec<u8> {
    let text = about.to_string();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(128_u32.to_le_bytes());
    bytes.extend(4_u64.to_le_bytes());
    bytes.extend(u32::try_from(text.len()).expect("short").to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.resize(BEAT_AT, 0);
    bytes.extend(beat_ns.to_le_bytes());
    bytes.extend(u64::from(is_ended).to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    bytes.resize(HEADER_BYTES, 0);
    bytes
}

/// Adds a record, with metrics by slot.
#[cfg(test)]
pub(crate) fn push_drawn(
    bytes: &mut Vec<u8>,
    (number, step, ended, took): (u64, i64, i64, i64),
    metrics: &[Option<f64>],
) {
    let start = bytes.len();
    bytes.extend(number.to_le_bytes());
    for value in [step, ended, took] {
        bytes.extend(value.to_le_bytes());
    }
    let known = metrics.iter().rev();
    let known = known.fold(0_u64, |mask, one| mask << 1 | u64::from(one.is_some()));
    bytes.extend(known.to_le_bytes());
    for metric in metrics {
        bytes.extend(metric.unwrap_or_default().to_le_bytes());
    }
    bytes.resize(start + AGAIN_AT, 0);
    bytes.extend(number.to_le_bytes());
    bytes.resize(start + RECORD_BYTES, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_in_order_and_cut_ones_are_left_out() {
        let mut bytes = drawn(&[
            (5, 14, 50, 9),
            (2, 11, 20, 10),
            (3, 12, 30, 10),
            (0, 0, 0, 0),
        ]);
        let steps_of = |bytes: &[u8]| -> Vec<(i64, i64, u64)> {
            let steps = steps(bytes).expect("a ring");
            let each = steps.iter();
            each.map(|one| (one.step, one.ended_ns, one.step_ns))
                .collect()
        };
        let all = [(11, 1020, 10), (12, 1030, 10), (14, 1050, 9)];
        assert_eq!(steps_of(&bytes), all);
        // The number at the end of the first record is still that of the one it replaces.
        bytes[HEADER_BYTES + AGAIN_AT] = 1;
        assert_eq!(steps_of(&bytes), all[..2]);
        assert_eq!(steps_of(&bytes[..HEADER_BYTES + 300]), all[..1]);
    }

    #[test]
    fn metrics_are_those_that_each_record_has() {
        let about = serde_json::json!({ "unix_ns_at_zero": 0, "metrics": ["loss", "norm"] });
        let mut bytes = drawn_head(&about, 77, false);
        push_drawn(&mut bytes, (1, 10, 100, 5), &[Some(2.5), None]);
        push_drawn(&mut bytes, (2, 11, 200, 5), &[None, Some(0.0)]);
        push_drawn(&mut bytes, (3, 12, 300, 5), &[Some(f64::NAN), Some(9.0)]);
        let found = metrics(&bytes).expect("a ring");
        let [loss, norm] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (loss.name.as_str(), loss.values[0]),
            ("loss", (10, 100, 2.5))
        );
        assert!(
            loss.values.len() == 2 && loss.values[1].2.is_nan(),
            "{loss:?}"
        );
        assert_eq!(norm.values, [(11, 200, 0.0), (12, 300, 9.0)]);
        let head = head(&bytes).expect("a ring");
        assert_eq!((head.beat_ns, head.is_ended), (77, false));
    }

    #[test]
    fn other_files_are_no_rings() {
        let ring = drawn(&[]);
        assert_eq!(steps(&ring), Some(Vec::new()));
        assert_eq!(steps(&ring[..100]), None);
        for (at, wrong) in [(0, b'x'), (8, 2), (12, 64), (27, 255)] {
            let mut other = ring.clone();
            other[at] = wrong;
            assert_eq!(steps(&other), None, "byte {at}");
        }
    }
}
