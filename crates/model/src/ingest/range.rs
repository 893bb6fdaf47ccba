//! Ranges: some files of a session decoded without the others.

use std::hash::{Hash, Hasher as _};

use rustc_hash::FxHasher;
use stepscope_hlo as hlo;

use super::assemble::assemble_range;
use super::input::HostInput;
use super::labels::{Labels, op_from_hlo};
use super::parts::PlacedTrack;
use crate::frame::{BECAME_BITS, Frame, RangeFacts, RangeSteps};
use crate::label::SliceKind;
use crate::session::{HOSTS_KEPT, Op, Session};
use crate::step::StepOrigin;

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
    facts.track_count = session.tracks.len();
    facts.steps = marks.steps(session.step_origin);
    facts.has_graphs = !session.graphs.is_empty();
    for input in inputs {
        input.bytes.release_all();
    }
    facts
}

/// Decodes some files of a session: hosts, devices, tracks and slices as they are in the whole
/// session. Its steps are those of the session if the frame says so; else it has none.
///
/// `None` if the files are not those that the frame was made for.
pub fn ingest_range(name: &str, inputs: &[HostInput], frame: &Frame) -> Option<Session> {
    let assembly = assemble_range(inputs, HOSTS_KEPT, frame.epoch_ns)?;
    let mut session = assembly.into_session(name);
    if session.tracks.len() != frame.track_count || session.epoch_ns != frame.epoch_ns {
        return None;
    }
    if !frame.has_steps {
        (session.steps, session.step_origin) = (Vec::new(), None);
    }
    session.has_rounds = inputs.len() > HOSTS_KEPT;
    session.frame = Some(frame.clone());
    for input in inputs {
        input.bytes.release_all();
    }
    Some(session)
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
