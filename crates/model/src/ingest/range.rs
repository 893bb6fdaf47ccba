//! Ranges: some files of a session decoded without the others.

use std::hash::{Hash, Hasher as _};

use rustc_hash::FxHasher;
use stepscope_hlo as hlo;

use super::assemble::assemble_range;
use super::input::HostInput;
use super::labels::{Labels, op_from_hlo};
use super::parts::PlacedTrack;
use super::round::{Headers, survey};
use crate::frame::{BECAME_BITS, Frame, Known, RangeError, RangeFacts, RangeSteps};
use crate::label::SliceKind;
use crate::session::{HOSTS_KEPT, Op, Session};
use crate::step::StepOrigin;
use crate::track::TrackRole;

/// What some files of a session say that matters to its others. Decodes them.
pub fn survey_range(inputs: &[HostInput]) -> RangeFacts {
    let Some(mut assembly) = assemble_range(inputs, HOSTS_KEPT, None) else {
        return RangeFacts::default();
    };
    let shared = shared(&mut assembly.labels);
    let labels = &assembly.labels;
    let mut facts = RangeFacts {
        is_usable: assembly.is_usable,
        host_count: inputs.len(),
        epoch_ns: assembly.clocks.session_epoch_ns,
        programs: programs(labels),
        named_programs: labels.programs.named(),
        shared,
        ..RangeFacts::default()
    };
    let marks = Marks::of(&assembly.parts.tracks);
    let session = assembly.into_session("");
    let programs = session.programs.iter();
    facts.all_programs = programs.map(|own| (own.id, own.name.clone())).collect();
    facts.track_count = session.tracks.len();
    facts.steps = marks.steps(session.step_origin);
    facts.has_graphs = !session.graphs.is_empty();
    for input in inputs {
        input.bytes.release_all();
    }
    facts
}

/// When the first host of some files of a session began, and how many there are. Decodes no event.
pub fn survey_starts(inputs: &[HostInput]) -> RangeFacts {
    let (survey, _) = survey(inputs, Headers::BeforeEvents, false, None);
    for input in inputs {
        input.bytes.release_all();
    }
    RangeFacts {
        is_usable: survey.is_usable,
        host_count: inputs.len(),
        epoch_ns: survey.clocks.session_epoch_ns,
        ..RangeFacts::default()
    }
}

/// Decodes some files of a session: hosts, devices, tracks and slices as they are in the whole
/// session, as far as its frame knows that. Its steps are those of the session if the frame says so;
/// else it has none.
///
/// # Errors
///
/// The frame was made for other files, or knows too little.
pub fn ingest_range(
    name: &str,
    inputs: &[HostInput],
    frame: &Frame,
) -> Result<Session, RangeError> {
    let assembly = assemble_range(inputs, HOSTS_KEPT, frame.epoch_ns);
    let assembly = assembly.ok_or(RangeError::OtherFiles)?;
    // A name or an ID alone finds a program among those of all files.
    let are_exact = assembly.labels.programs.named().iter().all(is_exact);
    let is_usable = assembly.is_usable;
    let mut session = assembly.into_session(name);
    let is_early = session.epoch_ns != frame.epoch_ns;
    match frame.known {
        Known::Everything if is_early || session.tracks.len() != frame.track_count => {
            return Err(RangeError::OtherFiles);
        }
        // Start times that stand behind events were not seen before.
        Known::Starts if is_early => return Err(RangeError::TooLittleKnown),
        // If no host has a profile, the session cannot be opened.
        Known::Nothing if !is_usable => return Err(RangeError::TooLittleKnown),
        Known::Nothing | Known::Starts if !are_exact && has_tracks_of_programs(&session) => {
            return Err(RangeError::TooLittleKnown);
        }
        Known::Nothing | Known::Starts | Known::Everything => {}
    }
    if !frame.has_steps {
        (session.steps, session.step_origin) = (Vec::new(), None);
    }
    session.frame = Some(frame.clone());
    for input in inputs {
        input.bytes.release_all();
    }
    Ok(session)
}

/// Whether a program is looked for by an ID and a name.
fn is_exact((id, name): &(Option<u64>, String)) -> bool {
    id.is_some_and(|id| id != 0) && !name.is_empty()
}

/// Whether it has tracks of program runs that no file has: their slices have the names of programs.
fn has_tracks_of_programs(session: &Session) -> bool {
    let mut tracks = session.tracks.iter();
    tracks.any(|track| track.role == TrackRole::Programs && track.origin.lines.is_empty())
}

/// The programs with HLO: ID, name, and a hash of what slices show of their instructions.
fn programs(labels: &Labels) -> Vec<(u64, String, u64)> {
    let programs = labels.programs.all.iter();
    let of_files = programs.filter(|program| program.bytes.is_some());
    let told = of_files.map(|program| {
        let hash = program.hlo.as_ref().map_or(0, instructions);
        (program.id, program.name.clone(), hash)
    });
    told.collect()
}

fn instructions(program: &hlo::Program) -> u64 {
    let mut hasher = FxHasher::default();
    for one in program.instructions() {
        one.name.hash(&mut hasher);
        one.category().hash(&mut hasher);
        one.op_name.hash(&mut hasher);
        let source = one.source.as_ref();
        source
            .map(|source| (&source.file, source.line))
            .hash(&mut hasher);
        program.class(one).hash(&mut hasher);
    }
    hasher.finish()
}

/// Ops and labels of host threads: of equal ones in several files the first decides what they are,
/// and marks of steps in any file change a label everywhere.
///
/// Ops that are as their HLO says need no comparison: the HLO is compared.
fn shared(labels: &mut Labels) -> Vec<u64> {
    let (programs, strings) = (&labels.programs.all, &mut labels.strings);
    let mut is_as_hlo_says = |op: &Op| {
        let name = strings.get(op.name).to_owned();
        let told = op_from_hlo(programs, strings, op.program, &name);
        let facts = |op: &Op| (op.category, op.category_source, op.scope, op.source);
        facts(op) == facts(&told)
    };
    let ops = labels.ops.iter().filter(|op| !is_as_hlo_says(op));
    let ops: Vec<&Op> = ops.collect();
    let labels = &*labels;
    let text = |id| labels.strings.get(id);
    let ops = ops.into_iter().map(|op| {
        let program = &labels.programs.all[op.program.index()];
        let what = (program.id, &program.name, text(op.name));
        let became = (text(op.category), text(op.scope), text(op.source));
        (hash(&what), hash(&(became, op.category_source.name())))
    });
    let threads = labels.originals();
    let threads = threads.filter(|(original, _)| original.kind == SliceKind::Host);
    let threads = threads.map(|(original, became)| {
        let program = original.program.map(|id| {
            let program = &labels.programs.all[id.index()];
            (program.id, &program.name)
        });
        let what = (text(original.name), original.class.name(), program);
        (hash(&what), hash(&became.class.name()))
    });
    let all = ops.chain(threads);
    let all =
        all.map(|(what, became)| (what << BECAME_BITS) | (became >> (u64::BITS - BECAME_BITS)));
    let mut all: Vec<u64> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Which marks of steps there are.
#[derive(Default)]
struct Marks {
    is_any: bool,
    is_numbered: bool,
    is_step: bool,
}

impl Marks {
    fn of(tracks: &[PlacedTrack]) -> Self {
        let mut found = Self::default();
        for (mark, _) in tracks.iter().flat_map(|track| &track.annotations) {
            found.is_any = true;
            found.is_step |= !mark.is_block;
            found.is_numbered |= !mark.is_block && mark.number.is_some();
        }
        found
    }

    fn steps(&self, origin: Option<StepOrigin>) -> RangeSteps {
        match origin {
            Some(StepOrigin::StepLine) => RangeSteps::Recorded,
            Some(StepOrigin::Annotation) if self.is_numbered => RangeSteps::Numbered,
            Some(StepOrigin::Annotation) if self.is_step => RangeSteps::Unnumbered,
            _ if self.is_any => RangeSteps::Unclear,
            _ => RangeSteps::Unmarked,
        }
    }
}
