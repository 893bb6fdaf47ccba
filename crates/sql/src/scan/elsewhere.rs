//! A scan whose readers are on other machines: where its sessions are, which of them several readers
//! share, and what has to be known before.

use std::ops::Range;
use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};

use stepscope_model::{Frame, Known};

use super::kept::KeptFiles;
use super::plan::{Part, PartOfHosts, Scan};
use crate::asking::Filter;
use crate::library::{NOT_OPENED, Source};
use crate::place::Place;
use crate::ranges::{Divided, HostRange, Needs, Reading, ranges};
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
/// Columns that count from when the first host began.
const TIMES: [&str; 3] = ["start_ps", "ancestor_start_ps", "time_ps"];
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

/// A session whose ranges have to know more of each other, the ranges, and how much.
type Asked<'a> = (&'a Source, &'a Arc<[Range<usize>]>, Known);

/// A session that is to be read.
pub(super) struct Readable {
    /// Its position in the library.
    pub(super) position: usize,
    /// Files of hosts.
    pub(super) host_count: usize,
    /// Which of these filters keep, if they say.
    pub(super) kept: Option<KeptFiles>,
}

impl Readable {
    /// Whether filters keep rows of a range of hosts.
    fn keeps(&self, hosts: &Range<usize>) -> bool {
        self.kept.as_ref().is_none_or(|kept| {
            let own = kept.own.get(hosts.clone()).unwrap_or_default();
            kept.of_no_host || own.contains(&true)
        })
    }

    /// Its readers: one per range of hosts, or one.
    fn parts(&self, each: usize, most: usize, is_divisible: bool) -> Vec<Part> {
        let part = |hosts| Part {
            sessions: vec![self.position],
            hosts,
            ..Part::default()
        };
        let divided = ranges(self.host_count, each, most).filter(|_| is_divisible);
        let Some(all) = divided else {
            return vec![part(None)];
        };
        let all: Arc<[Range<usize>]> = all.into();
        let kept = all.iter().filter(|own| self.keeps(own));
        let of_hosts = |own: &Range<usize>| PartOfHosts {
            own: own.clone(),
            all: Arc::clone(&all),
        };
        kept.map(|own| part(Some(of_hosts(own)))).collect()
    }
}

impl Readers {
    /// What each reader of a table reads of these sessions.
    pub(super) fn parts(self, sessions: &[Readable], is_divisible: bool) -> Vec<Part> {
        let mut parts: Vec<Part> = if sessions.len() <= self.most {
            let most = self.most / sessions.len().max(1);
            let parts = sessions.iter();
            let parts = parts.map(|session| session.parts(self.hosts, most, is_divisible));
            parts.flatten().collect()
        } else {
            let mut parts = vec![Part::default(); self.most.max(1)];
            let readers = parts.len();
            for (number, session) in sessions.iter().enumerate() {
                parts[number % readers].sessions.push(session.position);
            }
            parts
        };
        if parts.is_empty() {
            parts.push(Part::default());
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
    let is_of_hosts = !of_hosts.is_empty()
        && columns.iter().all(|column| known.contains(column))
        && filters.iter().all(|filter| filter.needs_only(&known));
    is_of_hosts || table.rows.is_of_programs()
}

impl Scan {
    /// The places of each reader's sessions. A session that is to be divided is read by its first
    /// reader, unless its ranges need nothing or [`Scan::learn`] was told what they need.
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
                let range = match self.reading(source, hosts) {
                    Reading::Range(range) => Some(range),
                    Reading::Whole if self.is_first(part) => None,
                    Reading::Whole | Reading::Nothing => return Ok(None),
                };
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
        let asked = self.undivided().into_iter();
        let places = asked.flat_map(|(source, ranges, known)| {
            let place = move |hosts: &Range<usize>| {
                let frame = Frame {
                    known,
                    ..Frame::default()
                };
                let range = HostRange {
                    hosts: hosts.clone(),
                    frame,
                };
                Ok(source.place()?.with_range(Some(range)))
            };
            ranges.iter().map(place)
        });
        let places = places.collect::<Result<_, String>>();
        places.map_err(DataFusionError::Plan)
    }

    /// Divides sessions by what [`Library::survey`](crate::Library::survey) said of each of
    /// [`Scan::surveys`].
    pub fn learn(&self, mut facts: &[Result<String, String>]) {
        for (source, ranges, known) in self.undivided() {
            let (own, others) = facts.split_at(ranges.len().min(facts.len()));
            source.divide(Divided::of(known, Arc::clone(ranges), own));
            facts = others;
        }
    }

    /// Has [`Scan::surveys`] find out everything of hosts that were read alone and turned out to
    /// [need more](crate::knows_too_little). False if that was found out before.
    pub fn look_closer(&self) -> bool {
        let mut is_new = false;
        for part in self.parts.iter().filter(|part| part.hosts.is_some()) {
            for source in self.read_sources(part) {
                is_new |= source.entangle();
            }
        }
        is_new
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
            let is_first = self.is_first(part);
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

    /// Whether it is the first reader of its sessions.
    fn is_first(&self, part: &Part) -> bool {
        let Some(hosts) = &part.hosts else {
            return true;
        };
        let mut readers = self.parts.iter();
        let first = readers.find(|own| own.sessions == part.sessions);
        let first = first.and_then(|first| first.hosts.as_ref());
        first.is_some_and(|first| first.own == hosts.own)
    }

    /// What a reader reads of a session of which it has some hosts.
    fn reading(&self, source: &Source, hosts: &PartOfHosts) -> Reading {
        let needs = self.needs();
        let known = source.needed(needs.known);
        if known == Known::Nothing {
            return Reading::Range(HostRange {
                hosts: hosts.own.clone(),
                frame: Frame::unknown(source.files.hosts.len()),
            });
        }
        let divided = source.divided(&hosts.all, known);
        divided.map_or(Reading::Whole, |divided| divided.reading(&hosts.own, needs))
    }

    /// Sessions whose ranges have to know more of each other than was found out, with the ranges and
    /// how much that is. Filters on hosts leave out no range: which host began first, or is the first
    /// with a label, is seen only at all of them.
    fn undivided(&self) -> Vec<Asked<'_>> {
        let known = self.needs().known;
        let mut asked: Vec<Asked<'_>> = Vec::new();
        for part in &self.parts {
            let Some(hosts) = &part.hosts else { continue };
            for source in self.read_sources(part) {
                let known = source.needed(known);
                let is_asked = asked.last().is_some_and(|one| std::ptr::eq(one.0, source));
                let is_told =
                    known == Known::Nothing || source.divided(&hosts.all, known).is_some();
                if !is_asked && !is_told {
                    asked.push((source, &hosts.all, known));
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
        let (steps, ops) = (has(STEP), OF_OPS.into_iter().any(has));
        let programs = self.table.rows.is_of_programs();
        let known = if steps || ops || programs || has(TRACK) {
            Known::Everything
        } else if TIMES.into_iter().any(has) {
            Known::Starts
        } else {
            Known::Nothing
        };
        Needs {
            known,
            steps,
            ops,
            programs,
        }
    }
}
