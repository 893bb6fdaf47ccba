//! A scan whose readers are on other machines: where its sessions are, which of them several readers
//! share, and what has to be known before.

use std::ops::Range;

use datafusion::error::{DataFusionError, Result};

use super::plan::{Part, Scan};
use crate::asking::Filter;
use crate::library::{NOT_OPENED, Source};
use crate::place::Place;
use crate::ranges::{Divided, HostRange, Needs, ranges};
use crate::tables::{SESSION, SqlTable};

/// An extension of the configuration of plans that run on other machines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Readers {
    /// Each session has its own reader, up to this number.
    pub(crate) most: usize,
    /// The hosts of a large session that one reader reads.
    pub(crate) hosts: usize,
}

/// The column that says where the tracks of a range are among those of the session.
const TRACK: &str = "track_index";
/// The column that needs the steps of the session.
const STEP: &str = "step";
/// Columns that need the ops of slices.
const OF_OPS: [&str; 8] = [
    "class",
    "op",
    "category",
    "program",
    "program_id",
    "scope",
    "source",
    "ancestor_class",
];

impl Readers {
    /// What each reader of a table reads of these sessions, which are given with their host count.
    pub(super) fn parts(self, sessions: &[(usize, usize)], is_divisible: bool) -> Vec<Part> {
        if sessions.is_empty() {
            return vec![Part::default()];
        }
        let part = |session: usize, hosts: Option<Range<usize>>| Part {
            sessions: vec![session],
            hosts,
            ..Part::default()
        };
        if sessions.len() <= self.most {
            let most = self.most / sessions.len();
            let each = |&(session, hosts): &(usize, usize)| {
                let divided = ranges(hosts, self.hosts, most).filter(|_| is_divisible);
                match divided {
                    None => vec![part(session, None)],
                    Some(ranges) => ranges
                        .into_iter()
                        .map(|range| part(session, Some(range)))
                        .collect(),
                }
            };
            return sessions.iter().flat_map(each).collect();
        }
        let mut parts = vec![Part::default(); self.most.max(1)];
        let readers = parts.len();
        for (position, &(session, _)) in sessions.iter().enumerate() {
            parts[position % readers].sessions.push(session);
        }
        parts
    }
}

/// Whether rows are the same where some hosts are read without the others, if it is known what they
/// need.
pub(super) fn is_divisible(table: &SqlTable, columns: &[&str], filters: &[Filter]) -> bool {
    let of_hosts = table.rows.of_hosts();
    let known = of_hosts.iter().copied().chain(OF_OPS);
    let known: Vec<&str> = known.chain([SESSION.key, TRACK, STEP]).collect();
    !of_hosts.is_empty()
        && columns.iter().all(|column| known.contains(column))
        && filters.iter().all(|filter| filter.needs_only(&known))
}

impl Scan {
    /// The places of each reader's sessions. A session that is to be divided is read by its first
    /// reader, unless [`Scan::learn`] was told what its ranges need.
    ///
    /// # Errors
    ///
    /// A place that must not be in a plan, such as a URL with a password.
    pub fn places(&self) -> Result<Vec<Vec<Place>>> {
        let of_reader = |part: &Part| {
            let places = self.read_sources(part).map(|source| {
                let Some(hosts) = &part.hosts else {
                    return Some(source.place()).transpose();
                };
                let divided = source.divided();
                let range = divided.and_then(|divided| divided.range(hosts, self.needs()));
                if range.is_none() && hosts.start > 0 {
                    return Ok(None);
                }
                Ok(Some(source.place()?.with_range(range)))
            });
            let places = places.filter_map(Result::transpose);
            let places = places.collect::<Result<Vec<_>, String>>();
            places.map_err(DataFusionError::Plan)
        };
        self.parts.iter().map(of_reader).collect()
    }

    /// The places of what has to be looked at before sessions are divided, in an order that stays the
    /// same until [`Scan::learn`] is called.
    ///
    /// # Errors
    ///
    /// As for [`Scan::places`].
    pub fn surveys(&self) -> Result<Vec<Place>> {
        let asked = self.undivided();
        let place = |(source, hosts): (&Source, Range<usize>)| {
            let place = source.place().map_err(DataFusionError::Plan)?;
            let frame = stepscope_model::Frame::default();
            let range = Some(HostRange { hosts, frame });
            Ok(place.with_range(range))
        };
        asked.into_iter().map(place).collect()
    }

    /// Divides sessions by what [`Library::survey`](crate::Library::survey) said of each of
    /// [`Scan::surveys`].
    pub fn learn(&self, facts: &[Result<String, String>]) {
        let asked = self.undivided();
        let asked: Vec<_> = asked.into_iter().zip(facts).collect();
        for own in asked.chunk_by(|a, b| std::ptr::eq(a.0.0, b.0.0)) {
            let ranges = own.iter().map(|((_, hosts), _)| hosts.clone());
            let facts: Vec<Result<String, String>> =
                own.iter().map(|(_, facts)| (*facts).clone()).collect();
            let source = own[0].0.0;
            source.divide(Divided::of(ranges.collect(), &facts));
        }
    }

    /// The places of whole sessions that are read, of each once, with a name that [`Scan::leave_out`]
    /// takes.
    ///
    /// # Errors
    ///
    /// As for [`Scan::places`].
    pub fn whole_places(&self) -> Result<Vec<Place>> {
        let mut all = Vec::new();
        for part in &self.parts {
            let is_first = part.hosts.as_ref().is_none_or(|hosts| hosts.start == 0);
            for source in self.read_sources(part).filter(|_| is_first) {
                all.push(source.place().map_err(DataFusionError::Plan)?);
            }
        }
        Ok(all)
    }

    /// Has readers leave a session out that none of them can open. `reason` is what
    /// [`Library::survey`](crate::Library::survey) said. False if it is another reason.
    pub fn leave_out(&self, name: &str, reason: &str) -> bool {
        let Some((_, reason)) = reason.split_once(NOT_OPENED) else {
            return false;
        };
        let mut sources = self.library.sources().iter();
        let source = sources.find(|source| source.name == name);
        source.inspect(|source| source.leave_out(reason)).is_some()
    }

    /// Sessions that a reader opens. Says of those that are left out why they are.
    fn read_sources<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = &'a Source> {
        let sessions = part.sessions.iter();
        let sources = sessions.filter_map(|&one| self.library.sources().get(one));
        let opens = !self.table.rows.is_of_files(&self.ask.columns);
        sources.filter(move |source| match source.unopened() {
            Some(reason) if opens => {
                self.library.remark(reason.to_owned());
                false
            }
            _ => true,
        })
    }

    /// Ranges of hosts that nobody has looked at.
    fn undivided(&self) -> Vec<(&Source, Range<usize>)> {
        let mut asked: Vec<(&Source, Range<usize>)> = Vec::new();
        for part in &self.parts {
            let Some(hosts) = &part.hosts else { continue };
            for source in self.read_sources(part) {
                let divided = source.divided();
                if divided.is_none_or(|divided| !divided.ranges.contains(hosts)) {
                    asked.push((source, hosts.clone()));
                }
            }
        }
        asked
    }

    fn needs(&self) -> Needs {
        let (columns, filters) = (&self.ask.columns, &self.ask.filters);
        let has = |key: &str| {
            columns.iter().any(|column| column.key == key)
                || filters.iter().any(|filter| filter.names(key))
        };
        Needs {
            steps: has(STEP),
            ops: OF_OPS.into_iter().any(has),
        }
    }
}
