//! Parts: decoded tracks with resolved labels, not yet in their final positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_xplane::Space;

use super::build::{BuiltTrack, counter_tracks};
use super::decode::Annotation;
use super::graph_events::GraphEvents;
use super::labels::{Labels, text};
use super::plan::TrackPlan;
use crate::activity::Activity;
use crate::flow::Ends;
use crate::ids::{DeviceId, HostId, LabelId, StringId};
use crate::label::{Class, SliceKind};
use crate::session::{Aggregate, ProgramRun};
use crate::slices::SliceBlock;
use crate::track::{Lane, Origin, Track, TrackRole, distinct};
use crate::units::Picos;

/// A track, and what must be joined once all tracks have their positions.
pub(super) struct PlacedTrack {
    pub(super) track: Track,
    pub(super) ends: Ends,
    pub(super) run_ids: Vec<(u32, i64, i64)>,
    /// Marks of steps, each with the name of its series.
    pub(super) annotations: Vec<(Annotation, StringId)>,
    pub(super) graph_events: GraphEvents,
}

/// Tracks and what else decoding yielded, with labels resolved.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) tracks: Vec<PlacedTrack>,
    pub(super) cpu_runs: Vec<ProgramRun>,
    pub(super) aggregates: Vec<Aggregate>,
    pub(super) shared: Shared,
}

/// Lists of labels, each once.
#[derive(Default)]
pub(super) struct Shared(FxHashSet<Arc<[LabelId]>>);

impl Shared {
    /// The list in memory that all who have the same share.
    pub(super) fn get(&mut self, labels: Arc<[LabelId]>) -> Arc<[LabelId]> {
        if let Some(known) = self.0.get(&labels) {
            return Arc::clone(known);
        }
        self.0.insert(Arc::clone(&labels));
        labels
    }
}

impl Parts {
    pub(super) fn add(
        &mut self,
        plan: &TrackPlan,
        mut built: BuiltTrack,
        ids: &Arc<[LabelId]>,
        space: &Space<'_>,
        cpu_devices: &BTreeMap<(HostId, i64), DeviceId>,
        labels: &mut Labels,
    ) {
        let block = std::mem::replace(&mut built.block, SliceBlock::zeroed(0));
        let block = Arc::new(block);
        let origin = Origin {
            lines: std::mem::take(&mut built.decoded.origins),
        };
        // Annotations say how long a step takes, not that the host did anything.
        let mut annotations = Vec::new();
        // Steps of other processes are not those of the profiled process.
        let recorded = std::mem::take(&mut built.decoded.annotations);
        let fixed = fixed_names(&recorded);
        for annotation in recorded.into_iter().filter(|_| plan.process.is_none()) {
            let label = &mut labels.all[ids[annotation.label as usize].index()];
            if label.kind == SliceKind::Host {
                (label.class, label.activity) = (Class::Step, Activity::None);
            }
            let name = labels.strings.get(label.name);
            let is_fixed = fixed.contains(&annotation.label);
            let series = if is_fixed { name } else { series_name(name) }.to_owned();
            annotations.push((annotation, labels.strings.intern(&series)));
        }
        let name = labels.strings.intern(&plan.name);
        let (own_labels, op_labels) = self.labels_of(&built, ids);
        for piece in std::mem::take(&mut built.pieces) {
            let device = match piece.ordinal {
                Some(ordinal) => cpu_devices.get(&(plan.host, ordinal)).copied(),
                None => plan.device,
            };
            let role = if piece.ordinal.is_some() {
                TrackRole::Ops
            } else {
                plan.role
            };
            let is_first = piece.ordinal.is_none();
            let deferred = built.own_deferred().filter(|_| is_first);
            let later = deferred.map(|deferred| deferred.block(&piece.nested.lanes, ids));
            let block = later
                .or(piece.block.map(|block| *block))
                .map_or_else(|| Arc::clone(&block), Arc::new);
            let lanes = piece.nested.lanes.into_iter();
            let lanes: Vec<Lane> = lanes.map(|lane| lane.of_block(&block)).collect();
            let own = if is_first { &own_labels } else { &op_labels };
            self.tracks.push(PlacedTrack {
                track: Track {
                    name,
                    host: plan.host,
                    process: plan.process,
                    device,
                    role,
                    line_id: plan.line_id,
                    lanes,
                    nests: piece.nested.nests,
                    labels: Arc::clone(own),
                    samples: None,
                    origin: origin.clone(),
                },
                ends: if is_first {
                    built.take_ends()
                } else {
                    Ends::default()
                },
                run_ids: if is_first {
                    std::mem::take(&mut built.decoded.run_ids)
                } else {
                    Vec::new()
                },
                annotations: if is_first {
                    std::mem::take(&mut annotations)
                } else {
                    Vec::new()
                },
                graph_events: if is_first {
                    built.take_graph_events()
                } else {
                    GraphEvents::default()
                },
            });
        }
        for track in counter_tracks(space, plan, &built.decoded, &mut labels.strings) {
            self.tracks.push(PlacedTrack {
                track,
                ends: Ends::default(),
                run_ids: Vec::new(),
                annotations: Vec::new(),
                graph_events: GraphEvents::default(),
            });
        }
        self.aggregates
            .extend(built.decoded.aggregates.iter().map(|part| Aggregate {
                label: ids[part.label as usize],
                device: plan.device,
                occurrences: part.occurrences,
                duration: Picos(part.duration_ps),
            }));
        self.cpu_runs(plan, &built, space, cpu_devices, labels);
    }

    /// The labels of the track's own slices, and of the ops that it ran: the same memory for threads and
    /// hosts that run the same.
    fn labels_of(
        &mut self,
        built: &BuiltTrack,
        ids: &[LabelId],
    ) -> (Arc<[LabelId]>, Arc<[LabelId]>) {
        let mut of = |is_op: bool| {
            let keys = built.decoded.keys.iter().zip(ids);
            let own = keys.filter(|(key, _)| key.context.is_cpu_op == is_op);
            self.shared
                .get(distinct(own.map(|(_, label)| *label).collect()))
        };
        (of(false), of(true))
    }

    /// Combines the runs that were added from a position on: one may have ops on several threads of a
    /// host.
    pub(super) fn merge_runs(&mut self, first: usize) {
        let mut runs = self.cpu_runs.split_off(first);
        runs.sort_unstable_by_key(|run| (run.device, run.program, run.run_id, run.span));
        for run in runs {
            match self.cpu_runs[first..].last_mut() {
                Some(last)
                    if (last.device, last.program, last.run_id)
                        == (run.device, run.program, run.run_id) =>
                {
                    last.span = last.span.hull(run.span);
                }
                _ => self.cpu_runs.push(run),
            }
        }
    }

    fn cpu_runs(
        &mut self,
        plan: &TrackPlan,
        built: &BuiltTrack,
        space: &Space<'_>,
        cpu_devices: &BTreeMap<(HostId, i64), DeviceId>,
        labels: &mut Labels,
    ) {
        let mut runs: Vec<_> = built.decoded.runs.iter().collect();
        runs.sort_unstable();
        labels.programs.begin(plan.host);
        for (key, &span) in runs {
            let Some(&device) = cpu_devices.get(&(plan.host, key.ordinal)) else {
                continue;
            };
            let plane = &space.planes[key.plane as usize];
            let module = text(plane, &built.decoded, key.module).unwrap_or_default();
            let program = labels
                .programs
                .find_or_add(key.program.map(i64::cast_unsigned), &module);
            let run_id = Some(key.run_id);
            self.cpu_runs.push(ProgramRun {
                program,
                device,
                run_id,
                span,
                launched: None,
                launched_on: None,
                is_by_order: false,
            });
        }
    }
}

/// The names that occur with several recorded numbers, so that a number within them is part of the name:
/// `phase1` and `phase2`, each with steps of its own.
fn fixed_names(annotations: &[Annotation]) -> FxHashSet<u32> {
    let mut numbers: FxHashMap<u32, i64> = FxHashMap::default();
    let mut fixed = FxHashSet::default();
    for annotation in annotations {
        let Some(number) = annotation.number else {
            continue;
        };
        if *numbers.entry(annotation.label).or_insert(number) != number {
            fixed.insert(annotation.label);
        }
    }
    fixed
}

/// The name of a series of steps: `ProfilerStep#5` and `ProfilerStep#6` belong to one.
fn series_name(annotation: &str) -> &str {
    let name = annotation.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let name = name.trim_end_matches([' ', '#', '_', '-', ':', '/', '=']);
    if name.is_empty() { annotation } else { name }
}

#[cfg(test)]
mod tests {
    use super::series_name;

    #[test]
    fn a_number_is_no_part_of_a_series_name() {
        assert_eq!(series_name("train"), "train");
        assert_eq!(series_name("ProfilerStep#5"), "ProfilerStep");
        assert_eq!(series_name("step 12"), "step");
        assert_eq!(series_name("7"), "7");
    }
}
