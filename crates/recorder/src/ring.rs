//! A rank's ring: its steps, from the bytes of the file.
//!
//! ```text
//! page 0      magic, version, bytes of a record, records, bytes of the text; then one JSON object
//! then        records of 128 bytes: number, step, end (perf_counter), step time, …, number again
//! ```
//!
//! All little endian, times in ns. A record whose two numbers differ was being written.

use serde_json::Value;

const MAGIC: &[u8] = b"stepring";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 4096;
const RECORD_BYTES: usize = 128;
/// Where the text begins, after the sizes.
const TEXT_AT: usize = 28;
/// Where the number of a record stands the second time.
const AGAIN_AT: usize = 104;

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

/// The steps in a ring, oldest first; `None` if the bytes are no ring of this version.
pub(crate) fn steps(bytes: &[u8]) -> Option<Vec<RingStep>> {
    let header = bytes.get(..HEADER_BYTES)?;
    let is_known = header.starts_with(MAGIC)
        && u32_at(header, 8)? == VERSION
        && u32_at(header, 12)? as usize == RECORD_BYTES;
    if !is_known {
        return None;
    }
    let length = u32_at(header, 24)? as usize;
    let text = header.get(TEXT_AT..TEXT_AT.checked_add(length)?)?;
    let about: Value = serde_json::from_slice(text).ok()?;
    let zero_ns = about["unix_ns_at_zero"].as_i64().unwrap_or_default();
    let records = bytes.get(HEADER_BYTES..)?.chunks_exact(RECORD_BYTES);
    let mut steps: Vec<RingStep> = records
        .filter_map(|record| step_of(record, zero_ns))
        .collect();
    steps.sort_by_key(|step| step.number);
    Some(steps)
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
    let text = br#"{"rank": 0, "unix_ns_at_zero": 1000}"#;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(128_u32.to_le_bytes());
    bytes.extend(4_u64.to_le_bytes());
    bytes.extend(u32::try_from(text.len()).expect("short").to_le_bytes());
    bytes.extend(text);
    bytes.resize(HEADER_BYTES, 0);
    for (number, step, ended, took) in records {
        let start = bytes.len();
        bytes.extend(number.to_le_bytes());
        for value in [step, ended, took] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.resize(start + AGAIN_AT, 0);
        bytes.extend(number.to_le_bytes());
        bytes.resize(start + RECORD_BYTES, 0);
    }
    bytes
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
