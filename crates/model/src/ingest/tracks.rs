//! Building all tracks in parallel.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use stepscope_xplane::Space;

use super::async_ops::{Marked, marked_ops};
use super::build::{BuiltTrack, build_deferring};
use super::clocks::Clocks;
use super::decode::{ClockChoice, LineInput, TrackKind};
use super::deferred::Deferred;
use super::nest::forget_rows;
use super::plan::{Plan, TrackPlan};
use super::round::Round;
use crate::track::TrackRole;

/// Decodes and nests all tracks of a round, in parallel.
pub(super) fn build_tracks(plan: &Plan, clocks: &Clocks, round: &Round<'_, '_>) -> Vec<BuiltTrack> {
    let spaces = round.hosts().map(|(_, _, space)| space);
    let muted: Vec<Vec<Arc<[Option<Marked>]>>> = spaces.map(muted_metadata).collect();
    // Long tracks first, so that the last one to finish is short.
    let mut order: Vec<usize> = (0..plan.tracks.len()).collect();
    let bytes = |track: &TrackPlan| -> usize {
        let planes = &round.space(track.host).planes;
        track
            .lines
            .iter()
            .map(|&(p, l)| planes[p as usize].lines[l as usize].byte_len())
            .sum()
    };
    order.sort_by_key(|&position| std::cmp::Reverse(bytes(&plan.tracks[position])));
    let next = AtomicUsize::new(0);
    let take = || order.get(next.fetch_add(1, Ordering::Relaxed)).copied();
    let decoded_track = |position: usize| {
        let track = &plan.tracks[position];
        let host = round.position(track.host);
        let (input, space) = (round.input(track.host), round.space(track.host));
        let lines: Vec<LineInput<'_>> = track
            .lines
            .iter()
            .map(|&(plane, line)| {
                let found = &space.planes[plane as usize].lines[line as usize];
                LineInput {
                    plane,
                    line_position: line,
                    line: found,
                    roles: &plan.stat_roles[host][plane as usize],
                    muted: &muted[host][plane as usize],
                    base_ps: clocks.base_ps(track.host, found.timestamp_ns),
                }
            })
            .collect();
        let clock = match track.role {
            TrackRole::Ops | TrackRole::Steps => ClockChoice::DeviceWhereRecorded,
            _ => ClockChoice::Host,
        };
        let has_accelerator = plan.has_accelerator[host];
        let kind = TrackKind {
            clock,
            is_host: track.device.is_none() && track.process.is_none(),
            has_accelerator,
            is_counter: track.role == TrackRole::Counter,
        };
        let deferred = if plan.has_kernels[host] && !round.is_one_of_several {
            // The launches of kernels are needed at once.
            None
        } else {
            let of_many = round.is_one_of_several;
            Deferred::of(&lines, kind, track.role, of_many, space, input)
        };
        let built = build_deferring(&lines, kind, deferred);
        for line in &lines {
            let part = line.line.as_bytes();
            let start = space.offset_of(part);
            input.bytes.release(start..start + part.len());
        }
        (position, built)
    };
    // The next free thread takes the longest remaining track.
    let mut built: Vec<(usize, BuiltTrack)> = (0..rayon::current_num_threads())
        .into_par_iter()
        .with_max_len(1)
        .flat_map_iter(|_| std::iter::from_fn(take).map(decoded_track))
        .collect();
    rayon::broadcast(|_| forget_rows());
    built.sort_by_key(|(position, _)| *position);
    built.into_iter().map(|(_, track)| track).collect()
}

/// Events whose arrows don't matter: the end markers of XLA:CPU's thunks.
fn muted_metadata(space: &Space<'_>) -> Vec<Arc<[Option<Marked>]>> {
    let planes = space.planes.iter();
    planes.map(|plane| marked_ops(plane).into()).collect()
}
