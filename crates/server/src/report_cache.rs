//! Reports of an open session that were already computed, as JSON.

use axum::body::Bytes;

/// Maximum number of cached reports per session. The next constant limits their bytes.
const MAX_REPORTS: usize = 64;
const MAX_REPORT_BYTES: usize = 64 << 20;

/// Reports that were already computed (sessions never change), the most recently used last.
#[derive(Default)]
pub(crate) struct ReportCache(Vec<(String, Bytes)>);

impl ReportCache {
    pub(crate) fn get(&mut self, question: &str) -> Option<Bytes> {
        let position = self.0.iter().position(|(known, _)| known == question)?;
        let entry = self.0.remove(position);
        let answer = entry.1.clone();
        self.0.push(entry);
        Some(answer)
    }

    pub(crate) fn forget(&mut self, question: &str) {
        self.0.retain(|(known, _)| known != question);
    }

    pub(crate) fn put(&mut self, question: String, answer: Bytes) {
        self.0.retain(|(known, _)| *known != question);
        self.0.push((question, answer));
        let bytes = |cache: &Self| {
            cache
                .0
                .iter()
                .map(|(_, answer)| answer.len())
                .sum::<usize>()
        };
        while self.0.len() > MAX_REPORTS || (self.0.len() > 1 && bytes(self) > MAX_REPORT_BYTES) {
            self.0.remove(0);
        }
    }
}
