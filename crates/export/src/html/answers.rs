//! Answers of analyses, as many and as complete as fit.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use stepscope_analysis::AnalysisError;
use stepscope_analysis::telling::format as figures;
use stepscope_model::Session;

use super::packed::{entry_bytes, packed};
use super::questions::{Question, usual, variants};
use super::share::ShareReport;
use super::shared::Shared;
use crate::{ExportError, Pairs};

/// Row limits for the longest tables, most first; the first are the limits that the views request.
const TIERS: [Option<usize>; 5] = [None, Some(2000), Some(500), Some(100), Some(20)];

/// Shared values of answers, such as HLO, take at most one byte in the file for this many.
const SHARED_SHRINK: u64 = 4;

/// A report needs at least these.
const NEEDED: [&str; 2] = ["overview", "timeline"];

/// Space for answers.
pub(super) struct Room {
    /// Leaves space for the timeline.
    pub(super) usual: u64,
    /// The maximum.
    pub(super) most: u64,
}

/// Answers and refusals by question.
#[derive(Default)]
pub(super) struct Answers {
    kept: BTreeMap<String, Kept>,
    refusals: BTreeMap<String, String>,
    left_out: Vec<String>,
    /// Values that the answers refer to, to measure them.
    shared: Shared,
    /// Their size in the file.
    shared_bytes: u64,
}

/// An answer as JSON, and its size in the file without shared values.
struct Kept {
    json: String,
    bytes: u64,
}

enum Reply {
    Answer(String),
    Refusal(String),
}

impl Answers {
    /// The requests of every view when it opens, with fewer rows if necessary.
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
            answers.measure()?;
            if answers.bytes() <= room.usual {
                break;
            }
            if let Some(Some(next)) = TIERS.get(position + 1) {
                answers.left_out = vec![format!("Table rows after the first {next}.")];
            }
        }
        answers.drop_largest(room.most)?;
        Ok(answers)
    }

    /// The requests of the views' controls, as long as there is space. Returns their size.
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
                let Reply::Answer(json) = reply else {
                    continue;
                };
                let shared_before = self.shared.len_bytes();
                self.shared.look(&json);
                let short = self.shared.shorten(&json);
                let more = (self.shared.len_bytes() - shared_before) / SHARED_SHRINK;
                let bytes = entry_bytes(&key, &packed(short.as_bytes())?);
                if self.bytes() - before + bytes + more > room {
                    missing += 1;
                } else {
                    self.shared_bytes += more;
                    self.kept.insert(key, Kept { json, bytes });
                }
            }
        }
        if missing > 0 {
            self.left_out.push(format!(
                "The results of {} of the views.",
                figures::counted(missing, "control")
            ));
        }
        Ok(self.bytes() - before)
    }

    pub(super) fn bytes(&self) -> u64 {
        let kept = self.kept.values().map(|kept| kept.bytes).sum::<u64>();
        let refusals = self.refusals.iter();
        let refusals = refusals.map(|(key, value)| entry_bytes(key, value));
        kept + refusals.sum::<u64>() + self.shared_bytes
    }

    /// Moves the answers into the report; returns the values that they refer to.
    pub(super) fn tell(self, report: &mut ShareReport) -> Result<Shared, ExportError> {
        let mut shared = Shared::default();
        // Some questions have the same answer, such as graphs of an op whose program the capture
        // lacks.
        let distinct: BTreeSet<&str> = self.kept.values().map(|kept| &*kept.json).collect();
        for json in distinct {
            shared.look(json);
        }
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut short = Vec::new();
        for (question, kept) in &self.kept {
            let number = *numbers.entry(&kept.json).or_insert_with(|| {
                short.push(shared.shorten(&kept.json));
                short.len() - 1
            });
            report.answers.insert(question.clone(), number);
        }
        let texts = short.par_iter().map(|json| packed(json.as_bytes()));
        report.texts = texts.collect::<Result<_, _>>()?;
        report.refusals = self.refusals;
        report.left_out.extend(self.left_out);
        Ok(shared)
    }

    /// Measures all answers again.
    fn measure(&mut self) -> Result<(), ExportError> {
        self.shared = Shared::default();
        for kept in self.kept.values() {
            self.shared.look(&kept.json);
        }
        let mut short: Vec<(&String, &mut Kept, String)> = Vec::new();
        for (key, kept) in &mut self.kept {
            let json = self.shared.shorten(&kept.json);
            short.push((key, kept, json));
        }
        short.par_iter_mut().try_for_each(|(key, kept, json)| {
            kept.bytes = entry_bytes(key, &packed(json.as_bytes())?);
            Ok::<(), ExportError>(())
        })?;
        self.shared_bytes = packed(self.shared.json().as_bytes())?.len() as u64;
        Ok(())
    }

    fn put(&mut self, replies: Vec<(String, Reply)>) {
        for (key, reply) in replies {
            match reply {
                Reply::Answer(json) => {
                    self.kept.insert(key, Kept { json, bytes: 0 });
                }
                Reply::Refusal(why) => {
                    self.refusals.insert(key, why);
                }
            }
        }
    }

    /// Leaves out whole answers, the longest first, until the rest fits.
    fn drop_largest(&mut self, room: u64) -> Result<(), ExportError> {
        while self.bytes() > room {
            let droppable = self
                .kept
                .iter()
                .filter(|(key, _)| !NEEDED.contains(&key.as_str()));
            let largest = droppable.max_by_key(|(_, answer)| answer.json.len());
            let Some(key) = largest.map(|(key, _)| key.clone()) else {
                return Ok(());
            };
            self.kept.remove(&key);
            self.measure()?;
            self.left_out.push(format!("The view {key}."));
            let why = "This view did not fit into the report.".to_owned();
            self.refusals.insert(key, why);
        }
        Ok(())
    }
}

/// Runs the questions. Invalid options of a selection are an error; an analysis with nothing to
/// report is not.
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
            Ok(answer) => Reply::Answer(answer.json_text()?),
            Err(error @ (AnalysisError::Options(_) | AnalysisError::NothingSelected { .. }))
                if question.own.is_empty() =>
            {
                return Err(error.into());
            }
            Err(error @ AnalysisError::Changed(_)) => return Err(error.into()),
            Err(error) => Reply::Refusal(error.to_string()),
        };
        Ok((question.key(), reply))
    };
    questions.into_par_iter().map(ask).collect()
}
