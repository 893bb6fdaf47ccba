//! Clocks: from a packet's timestamp to nanoseconds of the trace's own clock.

use rustc_hash::FxHashMap;
use stepscope_wire::Fields;

use super::fields::clock;

/// How one clock relates to the trace's.
#[derive(Debug, Clone, Copy)]
struct Relation {
    /// Its reading at the last snapshot, in its unit.
    reading: u64,
    /// The trace's clock then, nanoseconds.
    trace_ns: i64,
    /// Nanoseconds of its unit.
    multiplier: i64,
    is_incremental: bool,
}

/// All clocks: of the trace by id, of sequences by sequence and id.
#[derive(Default)]
pub(super) struct Clocks {
    relations: FxHashMap<(u64, u64), Relation>,
    /// The trace's clock at its first snapshot.
    pub(super) first_ns: Option<i64>,
    /// The real time at the trace clock's 0.
    pub(super) epoch_ns: Option<i64>,
}

impl Clocks {
    fn key(sequence: u64, id: u64) -> (u64, u64) {
        let is_own = (clock::OF_SEQUENCE..clock::OF_TRACE).contains(&id);
        (if is_own { sequence } else { 0 }, id)
    }

    /// Takes a snapshot: readings of several clocks at one instant.
    pub(super) fn snapshot(&mut self, sequence: u64, message: &[u8]) {
        let mut readings: Vec<(u64, u64, i64, bool)> = Vec::new();
        let mut primary = clock::BOOTTIME;
        for field in Fields::of(message) {
            match field.number {
                1 => {
                    let (mut id, mut time, mut multiplier, mut incremental) = (0, 0, 1, false);
                    for field in Fields::of(field.value.bytes()) {
                        match field.number {
                            1 => id = field.value.number(),
                            2 => time = field.value.number(),
                            3 => incremental = field.value.number() != 0,
                            4 => multiplier = field.value.number().cast_signed().clamp(1, 1 << 40),
                            _ => {}
                        }
                    }
                    readings.push((id, time, multiplier, incremental));
                }
                2 => primary = field.value.number(),
                _ => {}
            }
        }
        let of = |wanted: u64| readings.iter().find(|reading| reading.0 == wanted);
        let known = readings.iter().find_map(|&(id, time, ..)| {
            let relation = self.relations.get(&Self::key(sequence, id))?;
            (!relation.is_incremental).then(|| relation.at(time))
        });
        let trace_ns = match of(primary).or_else(|| of(clock::BOOTTIME)) {
            Some(&(_, time, ..)) => time.cast_signed(),
            None => match known {
                Some(known) => known,
                None => return,
            },
        };
        self.first_ns = Some(self.first_ns.map_or(trace_ns, |first| first.min(trace_ns)));
        if let Some(&(_, real, ..)) = of(clock::REALTIME) {
            self.epoch_ns = self.epoch_ns.or(real.cast_signed().checked_sub(trace_ns));
        }
        for (id, reading, multiplier, is_incremental) in readings {
            let relation = Relation {
                reading,
                trace_ns,
                multiplier,
                is_incremental,
            };
            self.relations.insert(Self::key(sequence, id), relation);
        }
    }

    /// The trace's time of a packet. None where its clock was never related to the trace's.
    #[inline]
    pub(super) fn time_ns(&mut self, sequence: u64, id: u64, timestamp: u64) -> Option<i64> {
        if id == 0 || id == clock::BOOTTIME {
            return Some(timestamp.cast_signed());
        }
        let Some(relation) = self.relations.get_mut(&Self::key(sequence, id)) else {
            // A trace of one clock that nothing relates to another counts in that clock.
            return self.relations.is_empty().then_some(timestamp.cast_signed());
        };
        if relation.is_incremental {
            relation.reading = relation.reading.wrapping_add(timestamp);
            let passed = timestamp.cast_signed().saturating_mul(relation.multiplier);
            relation.trace_ns = relation.trace_ns.saturating_add(passed);
            return Some(relation.trace_ns);
        }
        Some(relation.at(timestamp))
    }
}

impl Relation {
    fn at(&self, reading: u64) -> i64 {
        let passed = reading.wrapping_sub(self.reading).cast_signed();
        self.trace_ns
            .saturating_add(passed.saturating_mul(self.multiplier))
    }
}
