//! Matches occurrences of a collective over its participants: what ran together, who arrived last, and
//! who waited.
//!
//! ```text
//! device 0     ├── waits ──┼─ transfer ─┤
//! device 1              ├──┼────────────┤      own wait = last arrival − own arrival
//! device 2                 ├────────────┤      transfer = own end − last arrival
//!                     last arrival      end
//! ```
//!
//! If devices share run ids, the k-th occurrence within a program run is matched with the k-th within the
//! run of the same id. Otherwise, the k-th on one device is matched with the k-th on the other, shifted
//! so that they end together. Which devices are matched at all is decided in
//! [`participants`](super::participants).

use super::instance::Instance;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_model::{DeviceId, Session};

use super::clocks::Clocks;
use super::pairing::Pairing;
use super::participants::{Grouping, Participants, participants};
use super::survey::{Occurrence, Survey};

/// Two devices of which nothing else is known must overlap in this share of the occurrences of a
/// collective, because no device leaves before the last one has arrived.
const TOGETHER_RATIO: f64 = 0.9;

/// Collectives matched over devices.
pub(crate) struct Matched {
    pub(crate) instances: Vec<Instance>,
    /// For each op: its participants in the session.
    pub(crate) participants: Vec<Participants>,
}

/// When the participants of an instance arrived and left, on aligned clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrivals {
    /// First arrival.
    pub(crate) first_ps: i64,
    /// Last arrival.
    pub(crate) last_ps: i64,
    /// Median arrival.
    pub(crate) median_ps: i64,
    /// Last end.
    pub(crate) end_ps: i64,
    /// Occurrence that arrived last.
    pub(crate) last: usize,
}

/// Waiting and transfer of a matched occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) wait_ps: i64,
    pub(crate) transfer_ps: i64,
}

impl Wait {
    /// How long an occurrence waited for the last arrival, and how long the rest took.
    pub(crate) fn of(
        session: &Session,
        clocks: &Clocks,
        occurrence: &Occurrence,
        last_ps: i64,
    ) -> Self {
        let host = session.device(occurrence.device).host;
        let start = clocks.aligned(host, occurrence.span.start).0;
        let duration_ps = occurrence.span.duration().0;
        let wait_ps = last_ps.saturating_sub(start).clamp(0, duration_ps);
        Self {
            wait_ps,
            transfer_ps: duration_ps - wait_ps,
        }
    }
}

impl Matched {
    pub(crate) fn of(session: &Session, survey: &Survey) -> Self {
        let mut by_op: Vec<Vec<usize>> = vec![Vec::new(); survey.ops.len()];
        for (position, occurrence) in survey.occurrences.iter().enumerate() {
            by_op[occurrence.op].push(position);
        }
        let mut matched = Self {
            instances: Vec::new(),
            participants: vec![Participants::default(); survey.ops.len()],
        };
        let runs = RunIds::of(session);
        let pairing = Pairing::of(session, survey);
        for group in same_ops(session, survey) {
            let members = group.iter().flat_map(|&op| by_op[op].iter().copied());
            let mut lists: Vec<(DeviceId, Vec<usize>)> = Vec::new();
            let mut sorted: Vec<usize> = members.collect();
            sorted.sort_by_key(|&m| {
                let occurrence = &survey.occurrences[m];
                (occurrence.device, occurrence.span)
            });
            for of_device in sorted
                .chunk_by(|&a, &b| survey.occurrences[a].device == survey.occurrences[b].device)
            {
                let device = survey.occurrences[of_device[0]].device;
                lists.push((device, of_device.to_vec()));
            }
            let executed_on: Vec<DeviceId> = lists.iter().map(|(device, _)| *device).collect();
            let mut together = participants(session, &survey.ops[group[0]], &executed_on);
            let mut instances = Vec::new();
            for devices in &together.groups {
                let lists: Vec<&(DeviceId, Vec<usize>)> = lists
                    .iter()
                    .filter(|(device, _)| devices.contains(device))
                    .collect();
                instances.extend(pair(&pairing, &runs, group[0], &lists));
            }
            if together.grouping == Grouping::Pair && !are_together(survey, &instances) {
                together = Participants {
                    groups: Vec::new(),
                    grouping: Grouping::Unknown,
                };
                instances.clear();
            }
            matched.instances.extend(instances);
            for &op in &group {
                matched.participants[op] = together.clone();
            }
        }
        let instances = &mut matched.instances;
        instances.sort_by_key(|instance| survey.occurrences[instance.members[0]].span);
        matched
    }

    /// For each occurrence, the instance it belongs to.
    pub(crate) fn instance_of(&self, survey: &Survey) -> Vec<Option<usize>> {
        let mut of = vec![None; survey.occurrences.len()];
        for (number, instance) in self.instances.iter().enumerate() {
            for &member in &instance.members {
                of[member] = Some(number);
            }
        }
        of
    }
}

impl Instance {
    /// Arrivals and ends on aligned clocks.
    pub(crate) fn arrivals(&self, session: &Session, survey: &Survey, clocks: &Clocks) -> Arrivals {
        let mut arrived: Vec<(i64, usize)> = self
            .members
            .iter()
            .map(|&member| {
                let occurrence = &survey.occurrences[member];
                let host = session.device(occurrence.device).host;
                (clocks.aligned(host, occurrence.span.start).0, member)
            })
            .collect();
        arrived.sort_unstable();
        let ends = self.members.iter().map(|&member| {
            let occurrence = &survey.occurrences[member];
            let host = session.device(occurrence.device).host;
            clocks.aligned(host, occurrence.span.end).0
        });
        let (last_ps, last) = arrived.last().copied().unwrap_or_default();
        Arrivals {
            first_ps: arrived.first().map_or(0, |&(time, _)| time),
            median_ps: arrived
                .get((arrived.len() - 1) / 2)
                .map_or(0, |&(time, _)| time),
            last_ps,
            last,
            end_ps: ends.max().unwrap_or(last_ps),
        }
    }
}

/// Ops with equal module and name: the ids of programs may differ between hosts.
fn same_ops(session: &Session, survey: &Survey) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut by_name: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    for (number, op) in survey.ops.iter().enumerate() {
        let module = op
            .program
            .map_or("", |program| session.program(program).name.as_str());
        let group = *by_name.entry((module, &op.name)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(number);
    }
    groups
}

/// Ids of program runs, by device and program, sorted by start.
struct RunIds {
    by_device: BTreeMap<(DeviceId, u32), Vec<(i64, i64)>>,
}

impl RunIds {
    fn of(session: &Session) -> Self {
        let mut by_device: BTreeMap<(DeviceId, u32), Vec<(i64, i64)>> = BTreeMap::new();
        for run in &session.program_runs {
            if let Some(id) = run.run_id {
                let runs = by_device.entry((run.device, run.program.0)).or_default();
                runs.push((run.span.start.0, id));
            }
        }
        for runs in by_device.values_mut() {
            runs.sort_unstable();
        }
        Self { by_device }
    }

    /// The id of the run in which each occurrence started, and its number within the run.
    fn keys(&self, survey: &Survey, list: &[usize]) -> Option<Vec<(i64, usize)>> {
        let mut counts: FxHashMap<i64, usize> = FxHashMap::default();
        let key = |&member: &usize| {
            let occurrence = &survey.occurrences[member];
            let program = survey.ops[occurrence.op].program?;
            let runs = self.by_device.get(&(occurrence.device, program.0))?;
            let after = runs.partition_point(|&(start, _)| start <= occurrence.span.start.0);
            let (_, id) = *runs.get(after.checked_sub(1)?)?;
            let count = counts.entry(id).or_default();
            *count += 1;
            Some((id, *count - 1))
        };
        list.iter().map(key).collect()
    }
}

/// Whether the members of nearly all instances overlap in time.
fn are_together(survey: &Survey, instances: &[Instance]) -> bool {
    let overlaps = |instance: &&Instance| {
        let spans = || {
            let members = instance.members.iter();
            members.map(|&member| survey.occurrences[member].span)
        };
        let last_start = spans().map(|span| span.start).max();
        let first_end = spans().map(|span| span.end).min();
        last_start <= first_end
    };
    let together = instances.iter().filter(overlaps).count();
    together as f64 >= TOGETHER_RATIO * instances.len() as f64
}

/// Instances of one group of devices: every list is matched with the longest one.
fn pair(
    pairing: &Pairing<'_>,
    runs: &RunIds,
    op: usize,
    lists: &[&(DeviceId, Vec<usize>)],
) -> Vec<Instance> {
    let survey = pairing.survey;
    let longest = (0..lists.len()).max_by_key(|&l| (lists[l].1.len(), std::cmp::Reverse(l)));
    let Some(longest) = longest else {
        return Vec::new();
    };
    let reference = &lists[longest].1;
    let reference_keys = runs.keys(survey, reference);
    let mut members: Vec<Vec<usize>> = reference.iter().map(|&member| vec![member]).collect();
    for (number, (_, list)) in lists.iter().enumerate() {
        if number == longest {
            continue;
        }
        let by_order = pairing.by_order(reference, list);
        let keys = reference_keys.as_ref().zip(runs.keys(survey, list));
        let by_run = keys.map(|(of_reference, keys)| by_run(of_reference, &keys));
        let enough = |pairs: &Vec<(usize, usize)>| pairs.len() * 2 >= list.len();
        let pairs = match by_run.filter(enough) {
            // Ids that each device counts on its own can agree by chance.
            Some(pairs)
                if pairing.spread(reference, list, &pairs)
                    <= pairing.spread(reference, list, &by_order) =>
            {
                pairs
            }
            _ => by_order,
        };
        for (of_reference, own) in pairs {
            members[of_reference].push(list[own]);
        }
    }
    members.retain(|members| members.len() > 1);
    let instance = |mut members: Vec<usize>| {
        members.sort_by_key(|&member| survey.occurrences[member].device);
        Instance { op, members }
    };
    members.into_iter().map(instance).collect()
}

/// Positions in the two lists with the same run id and number.
fn by_run(reference: &[(i64, usize)], own: &[(i64, usize)]) -> Vec<(usize, usize)> {
    let places: FxHashMap<(i64, usize), usize> = reference
        .iter()
        .enumerate()
        .map(|(place, &key)| (key, place))
        .collect();
    let pairs = own.iter().enumerate();
    pairs
        .filter_map(|(place, key)| Some((*places.get(key)?, place)))
        .collect()
}
