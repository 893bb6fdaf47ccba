//! What an export has written.

use stepscope_analysis::telling::format as figures;
use stepscope_interchange::write::Written;

/// What was written, and the size of the file.
pub(crate) struct Report {
    pub(crate) written: Written,
    pub(crate) file_bytes: u64,
}

impl Report {
    /// `1.2 MB, 3,600 slices on 12 tracks, …`
    pub(crate) fn sentence(&self) -> String {
        let written = &self.written;
        let mut parts = vec![
            figures::bytes(self.file_bytes as f64),
            figures::counted(written.slices, "slice"),
            figures::counted(written.tracks, "track"),
        ];
        if written.samples > 0 {
            parts.push(figures::counted(written.samples, "sample"));
        }
        if written.flows > 0 {
            parts.push(figures::counted(written.flows, "arrow"));
        }
        parts.join(", ")
    }
}
