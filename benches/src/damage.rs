//! Files in which every record is damaged, and folders of many sessions.

use std::path::Path;

use anyhow::Result;
use stepscope_testing::drawing::draw;
use stepscope_testing::riegeli::{self, Codec};

/// A profile with so many events, each of which ends in the middle of a number.
pub fn damaged_events(count: usize) -> Vec<u8> {
    // XEvent.metadata_id, whose varint goes on.
    let event = message(4, &[0x08, 0xff, 0xff]);
    let name = |field: u8, text: &str| message(field, text.as_bytes());
    let line = [name(2, "XLA Ops"), event.repeat(count)].concat();
    let plane = [name(2, "/device:TPU:0"), message(3, &line)].concat();
    message(1, &plane)
}

/// A file of so many records, one in each chunk, with a wrong byte in every other chunk of
/// the last three quarters.
pub fn damaged_records(count: usize) -> Vec<u8> {
    let mut file = records(count);
    let chunk = file.len() / count.max(1);
    for at in (file.len() / 4..file.len()).step_by((2 * chunk).max(1)) {
        file[at] ^= 0x40;
    }
    file
}

fn records(count: usize) -> Vec<u8> {
    let records: Vec<Vec<u8>> = (0..count).map(|at| vec![low_bits(at); 100]).collect();
    riegeli::write(Codec::None, 1, &records)
}

/// A log directory with so many runs.
///
/// # Errors
///
/// The files cannot be written.
pub fn runs(folder: &Path, count: usize) -> Result<()> {
    let drawing = "host vm\ndevice tpu:0 v6e\nline XLA Ops\n0..5us dot.1\n";
    let bytes = draw(drawing)?.to_bytes();
    for number in 0..count {
        let run = folder.join(format!("plugins/profile/run-{number}"));
        std::fs::create_dir_all(&run)?;
        std::fs::write(run.join("vm.xplane.pb"), &bytes)?;
    }
    Ok(())
}

fn message(field: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![field << 3 | 2];
    let mut length = body.len();
    while length >= 0x80 {
        bytes.push(low_bits(length) | 0x80);
        length >>= 7;
    }
    bytes.push(low_bits(length));
    bytes.extend_from_slice(body);
    bytes
}

fn low_bits(number: usize) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_met_and_told() {
        let session = crate::input::session_of(damaged_events(1000)).expect("a session");
        assert!(!session.warnings.is_empty());
        let (file, whole) = (damaged_records(1000), records(1000));
        assert_eq!(file.len(), whole.len());
        let wrong = file.iter().zip(&whole).filter(|(a, b)| a != b).count();
        assert!((300..400).contains(&wrong), "{wrong} wrong bytes");
    }

    #[test]
    fn runs_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        runs(folder.path(), 5).expect("written");
        let found = stepscope_storage::find(folder.path()).expect("sessions");
        assert_eq!(found.sessions.len(), 5);
    }
}
