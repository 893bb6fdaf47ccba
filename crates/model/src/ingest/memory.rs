//! Memory profiles of a session: decoding them, their order, and messages about damage.

use std::cmp::Ordering;
use std::sync::Arc;

use stepscope_pprof::{ProblemKind, Profile};

use super::input::{HostInput, IngestError};
use super::warn::MAX_EACH;
use super::{describe, ingest};
use crate::heap::{Damage, Heap, HeapSnapshot, Taken, add_snapshot};
use crate::session::{ProfileData, Session};
use crate::warning::{Warning, WarningKind, folded};

/// One memory profile: a file in pprof's format.
pub struct MemoryInput {
    /// Name of the snapshot: the file name without suffix.
    pub name: String,
    /// The file, decompressed.
    pub bytes: Arc<dyn ProfileData>,
    /// When the file was last written, nanoseconds since the Unix epoch.
    pub written_epoch_ns: Option<u64>,
    /// Remarks of the file's reader, such as a truncated compressed stream.
    pub problem: Option<String>,
}

/// Builds a session from the files of its hosts and its memory profiles, either of which may be
/// empty. Damage becomes warnings; an error means that nothing at all could be decoded.
#[expect(
    clippy::needless_pass_by_value,
    reason = "as for hosts: callers hand the files over"
)]
pub fn ingest_with_memory(
    name: &str,
    inputs: Vec<HostInput>,
    memory: Vec<MemoryInput>,
) -> Result<Session, IngestError> {
    if memory.is_empty() {
        return ingest(name, inputs);
    }
    let mut warnings = Vec::new();
    let (heap, refused) = read_memory(&memory, &mut warnings);
    let session = if inputs.is_empty() {
        None
    } else {
        let host = inputs[0].host.clone();
        match ingest(name, inputs) {
            Ok(session) => Some(session),
            Err(error) if heap.snapshots.is_empty() => return Err(error),
            Err(error) => {
                warnings.push(Warning {
                    kind: WarningKind::Damaged,
                    host,
                    message: format!("{error}; only the memory profile is shown"),
                    hint: String::new(),
                });
                None
            }
        }
    };
    let mut session = match (session, refused) {
        (Some(session), _) => session,
        (None, Some(refused)) if heap.snapshots.is_empty() => return Err(refused),
        (None, _) => Session {
            name: name.to_owned(),
            ..Session::default()
        },
    };
    session.heap = heap;
    session.warnings.extend(folded(warnings));
    Ok(session)
}

/// Decodes all profiles that can be decoded; returns the error of the first that cannot.
fn read_memory(memory: &[MemoryInput], warnings: &mut Vec<Warning>) -> (Heap, Option<IngestError>) {
    let (mut heap, mut refused) = (Heap::default(), None);
    for input in memory {
        let profile = Profile::decode((*input.bytes).as_ref());
        let usable = if is_usable(&profile) {
            add_snapshot(&mut heap, &input.name, &profile, input.written_epoch_ns)
        } else {
            Err(found_instead(input, &profile))
        };
        match usable {
            Ok(damage) => warnings.extend(said_of(input, &profile, &damage)),
            Err(found) => {
                let error = IngestError::NotAMemoryProfile {
                    name: input.name.clone(),
                    found,
                };
                warnings.push(Warning {
                    kind: WarningKind::Damaged,
                    host: input.name.clone(),
                    message: format!("Not shown: {error}"),
                    hint: HINT.to_owned(),
                });
                refused.get_or_insert(error);
            }
        }
    }
    sort(&mut heap.snapshots);
    (heap, refused)
}

const HINT: &str = "Save it again: `jax.profiler.save_device_memory_profile(\"memory.prof\")`";

/// Whether it starts like a profile. One that was truncated before its first sample still says what
/// it would have measured; one without samples is from a device without allocations.
fn is_usable(profile: &Profile<'_>) -> bool {
    let is_whole = profile.problem_count == 0 && profile.string_count() > 0;
    !profile.sample_types.is_empty() && (is_whole || !profile.samples.is_empty())
}

fn found_instead(input: &MemoryInput, profile: &Profile<'_>) -> String {
    let found = match (profile.sample_types.is_empty(), profile.problems.first()) {
        (false, Some(problem)) => format!(
            "it ends before its first sample, at byte {} of the decompressed data",
            problem.offset
        ),
        _ if is_python_profile((*input.bytes).as_ref()) => {
            "it looks like a profile of Python's cProfile, which measures the host".to_owned()
        }
        _ => describe((*input.bytes).as_ref(), "pprof profile that JAX saves"),
    };
    match &input.problem {
        Some(problem) => format!("{found} ({problem})"),
        None => found,
    }
}

/// cProfile marshals a dictionary whose first key is a tuple of three.
fn is_python_profile(bytes: &[u8]) -> bool {
    matches!(bytes, [b'{' | 0xfb, b')' | 0xa9 | b'(' | 0xa8, 3, ..])
}

/// Warnings for what a profile lacks.
fn said_of(input: &MemoryInput, profile: &Profile<'_>, damage: &Damage) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut add = |kind, message: String| {
        found.push(Warning {
            kind,
            host: input.name.clone(),
            message,
            hint: if kind == WarningKind::Repaired {
                String::new()
            } else {
                HINT.to_owned()
            },
        });
    };
    if let Some(problem) = &input.problem {
        add(WarningKind::Truncated, format!("Incomplete: {problem}"));
    }
    for problem in profile.problems.iter().take(MAX_EACH) {
        let kind = match problem.kind {
            ProblemKind::Truncated => WarningKind::Truncated,
            ProblemKind::Malformed | ProblemKind::Mistyped => WarningKind::Damaged,
        };
        let (part, words, offset) = (problem.part, problem.kind.words(), problem.offset);
        add(
            kind,
            format!("The {part} at byte {offset} of the decompressed data {words}"),
        );
    }
    let more = profile.problem_count.saturating_sub(MAX_EACH);
    if more > 0 {
        add(
            WarningKind::Damaged,
            format!("{more} more places could not be decoded"),
        );
    }
    if damage.nameless_samples > 0 {
        let samples = profile.samples.len();
        let count = damage.nameless_samples;
        add(
            WarningKind::Damaged,
            format!(
                "{count} of {samples} samples name functions or labels that the file does not \
                 have; their bytes count, under no name"
            ),
        );
    }
    if damage.is_type_assumed {
        add(
            WarningKind::Repaired,
            "The names of the two measures are missing; they are assumed to be in JAX's order, \
             allocations and bytes"
                .to_owned(),
        );
    }
    if damage.cut_stacks > 0 {
        let count = damage.cut_stacks;
        add(
            WarningKind::Repaired,
            format!("{count} samples have very deep stacks, which are only partially shown"),
        );
    }
    found
}

/// Oldest first: by the recorded time if all have one, else by the numbers in names that differ
/// only in numbers, else by the time of the files, else by name. Copies of files keep numbers in
/// names but often lose times.
fn sort(snapshots: &mut [HeapSnapshot]) {
    let recorded = |snapshot: &HeapSnapshot| match snapshot.taken {
        Some(Taken::Recorded(epoch_ns)) => Some(epoch_ns),
        _ => None,
    };
    let names = |a: &HeapSnapshot, b: &HeapSnapshot| natural_order(&a.name, &b.name);
    let pattern = |snapshot: &HeapSnapshot| -> Vec<String> {
        let parts = snapshot.name.split(|letter: char| letter.is_ascii_digit());
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let first = snapshots.first().map(pattern);
    let has_digits = |snapshot: &HeapSnapshot| snapshot.name.contains(|c: char| c.is_ascii_digit());
    if snapshots
        .iter()
        .all(|snapshot| recorded(snapshot).is_some())
    {
        snapshots.sort_by(|a, b| recorded(a).cmp(&recorded(b)).then_with(|| names(a, b)));
    } else if snapshots.iter().any(has_digits)
        && snapshots
            .iter()
            .all(|snapshot| Some(pattern(snapshot)) == first)
    {
        snapshots.sort_by(names);
    } else {
        let written = |snapshot: &HeapSnapshot| snapshot.taken.map(Taken::epoch_ns);
        snapshots.sort_by(|a, b| written(a).cmp(&written(b)).then_with(|| names(a, b)));
    }
}

/// Runs of digits compare as numbers.
fn natural_order(a: &str, b: &str) -> Ordering {
    let key = |text: &str| {
        let mut parts: Vec<(String, String)> = vec![(String::new(), String::new())];
        for letter in text.chars() {
            let is_after_digits = parts.last().is_some_and(|(_, digits)| !digits.is_empty());
            if !letter.is_ascii_digit() && is_after_digits {
                parts.push((String::new(), String::new()));
            }
            if let Some((text, digits)) = parts.last_mut() {
                if letter.is_ascii_digit() {
                    digits.push(letter);
                } else {
                    text.push(letter);
                }
            }
        }
        let number = |digits: &str| digits.trim_start_matches('0').to_owned();
        parts
            .into_iter()
            .map(|(text, digits)| (text, number(&digits).len(), number(&digits)))
            .collect::<Vec<_>>()
    };
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}
