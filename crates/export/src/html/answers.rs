//! Answers of analyses, as many and as long as there is room for.

use std::collections::BTreeMap;

use rayon::prelude::*;
use stepscope_analysis::{AnalysisError, format as figures};
use stepscope_model::Session;

use super::packed::{entry_bytes, packed};
use super::questions::{Question, usual, variants};
use super::share::ShareReport;
use crate::{ExportError, Pairs};

/// Rows of the longest tables, most first; first as the views ask for them.
const TIERS: [Option<usize>; 5] = [None, Some(2000), Some(500), Some(100), Some(20)];

/// Without these a report is none.
const NEEDED: [&str; 2] = ["overview", "timeline"];

/// What answers may take.
pub(super) struct Room {
    /// So that room is left for the timeline.
    pub(super) usual: u64,
    /// At all.
    pub(super) most: u64,
}

/// Answers and refusals by question.
#[derive(Default)]
pub(super) struct Answers {
    kept: BTreeMap<String, String>,
    refusals: BTreeMap<String, String>,
    left_out: Vec<String>,
}

enum Reply {
    Answer(String),
    Refusal(String),
}

impl Answers {
    /// What every view asks as it opens, with fewer rows where it has to be.
    pub(super) fn ask(
        session: &Session,
        selection: &Pairs,
        room: &Room,
    ) -> Result<Self, ExportError> {
        let questions = usual();
        let mut answers = Self::default();
        for (position, most_rows) in TIERS.into_iter().enumerate() {
            let wanted = questions
                .iter()
                .filter(|question| position == 0 || question.is_limited());
            answers.put(replies(session, selection, wanted.collect(), most_rows)?);
            if answers.bytes() <= room.usual {
                break;
            }
            if let Some(Some(next)) = TIERS.get(position + 1) {
                answers.left_out = vec![format!("Rows of tables after the first {next}.")];
            }
        }
        answers.drop_largest(room.most);
        Ok(answers)
    }

    /// What controls of views ask, as long as there is room. Gives what they take.
    pub(super) fn add_variants(
        &mut self,
        session: &Session,
        selection: &Pairs,
        room: u64,
    ) -> Result<u64, ExportError> {
        const AT_ONCE: usize = 8;
        let questions = variants(session, selection);
        let (before, mut missing) = (self.bytes(), 0);
        for some in questions.chunks(AT_ONCE) {
            for (key, reply) in replies(session, selection, some.iter().collect(), TIERS[1])? {
                let Reply::Answer(answer) = reply else {
                    continue;
                };
                if self.bytes() - before + entry_bytes(&key, &answer) > room {
                    missing += 1;
                } else {
                    self.kept.insert(key, answer);
                }
            }
        }
        if missing > 0 {
            self.left_out.push(format!(
                "What {} of the views would show.",
                figures::counted(missing, "control")
            ));
        }
        Ok(self.bytes() - before)
    }

    pub(super) fn bytes(&self) -> u64 {
        let entries = self.kept.iter().chain(&self.refusals);
        entries.map(|(key, value)| entry_bytes(key, value)).sum()
    }

    /// Hands over what there is.
    pub(super) fn tell(self, report: &mut ShareReport) {
        report.answers = self.kept;
        report.refusals = self.refusals;
        report.left_out.extend(self.left_out);
    }

    fn put(&mut self, replies: Vec<(String, Reply)>) {
        for (key, reply) in replies {
            match reply {
                Reply::Answer(answer) => self.kept.insert(key, answer),
                Reply::Refusal(why) => self.refusals.insert(key, why),
            };
        }
    }

    /// Leaves out whole answers, the longest first, until the rest fits.
    fn drop_largest(&mut self, room: u64) {
        while self.bytes() > room {
            let droppable = self
                .kept
                .iter()
                .filter(|(key, _)| !NEEDED.contains(&key.as_str()));
            let largest = droppable.max_by_key(|(_, answer)| answer.len());
            let Some(key) = largest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.kept.remove(&key);
            self.left_out.push(format!("The view {key}."));
            let why = "There was no room for this view in the report.".to_owned();
            self.refusals.insert(key, why);
        }
    }
}

/// Asks. Options of a selection that are wrong are an error; an analysis that has nothing to say is
/// not.
fn replies(
    session: &Session,
    selection: &Pairs,
    questions: Vec<&Question>,
    most_rows: Option<usize>,
) -> Result<Vec<(String, Reply)>, ExportError> {
    let ask = |question: &Question| -> Result<(String, Reply), ExportError> {
        let pairs = question.pairs(selection, most_rows);
        let pairs = pairs
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let reply = match question.entry.run_pairs(session, pairs) {
            Ok(answer) => Reply::Answer(packed(answer.json_text()?.as_bytes())?),
            Err(error @ (AnalysisError::Options(_) | AnalysisError::NothingSelected { .. }))
                if question.own.is_empty() =>
            {
                return Err(error.into());
            }
            Err(error) => Reply::Refusal(error.to_string()),
        };
        Ok((question.key(), reply))
    };
    questions.into_par_iter().map(ask).collect()
}
