//! Mutations of files, always the same for a seed: bits, lengths, cut, doubled and spliced chunks,
//! and, inside the messages of a profile, extreme numbers and ids that are missing or given twice.

use crate::space::{EventData, StatValue, XLine, XPlane, XSpace};

/// Numbers at which careless arithmetic fails.
pub const EXTREMES: [i64; 12] = [
    i64::MIN,
    i64::MIN + 1,
    -(1 << 60) - 1,
    -1,
    0,
    1,
    1 << 53,
    1 << 60,
    (1 << 60) + 1,
    1 << 62,
    i64::MAX - 1,
    i64::MAX,
];

/// Random numbers by Marsaglia's 64-bit xorshift.
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below the limit; 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 17).unwrap_or(0) % limit.max(1)
    }

    fn extreme(&mut self) -> i64 {
        EXTREMES[self.below(EXTREMES.len())]
    }

    fn one_of<'a, T>(&mut self, all: &'a mut [T]) -> Option<&'a mut T> {
        let position = self.below(all.len());
        all.get_mut(position)
    }
}

/// A mutated copy of a file; `other` is another file, from which chunks are taken.
pub fn bytes(file: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut copy = file.to_vec();
    for _ in 0..=random.below(4) {
        one_of_bytes(&mut copy, other, random);
    }
    copy
}

fn one_of_bytes(copy: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(copy.len());
    let length = random.below((copy.len() - at).min(300));
    match random.below(7) {
        0 => {
            if let Some(byte) = copy.get_mut(at) {
                *byte ^= 1 << (length % 8);
            }
        }
        // A length, or the end of a number.
        1 => {
            if let Some(byte) = copy.get_mut(at) {
                *byte = [0x00, 0x7f, 0x80, 0xff][length % 4];
            }
        }
        2 => drop(copy.drain(at..at + length)),
        3 => {
            let chunk = copy[at..at + length].to_vec();
            copy.splice(at..at, chunk);
        }
        4 => {
            let from = random.below(other.len());
            let to = from + random.below((other.len() - from).min(300));
            copy.splice(at..at + length, other[from..to].iter().copied());
        }
        5 => number_in_text(copy, at, random),
        _ => copy.truncate(at),
    }
}

/// Puts an extreme number in place of the next one that is written in digits.
fn number_in_text(copy: &mut Vec<u8>, at: usize, random: &mut Random) {
    let digits = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = copy[at..].iter().position(digits).map(|found| at + found) else {
        return;
    };
    let count = copy[start..].iter().take_while(|byte| digits(byte)).count();
    let text = match random.below(EXTREMES.len() + 3) {
        0 => "1e300".to_owned(),
        1 => "99999999999999999999".to_owned(),
        2 => "0.0000000001".to_owned(),
        _ => random.extreme().to_string(),
    };
    copy.splice(start..start + count, text.into_bytes());
}

/// Mutates a profile within its messages.
pub fn space(space: &mut XSpace, random: &mut Random) {
    for _ in 0..=random.below(12) {
        let host_ends = random.below(2) == 0;
        let Some(plane) = random.one_of(&mut space.planes) else {
            return;
        };
        match random.below(6) {
            0 => ids(plane, random),
            1 if host_ends => plane.lines.reverse(),
            2 => stats_of_metadata(plane, random),
            _ => {
                if let Some(line) = random.one_of(&mut plane.lines) {
                    times(line, random);
                }
            }
        }
    }
}

/// Ids that lead nowhere, or to something else.
fn ids(plane: &mut XPlane, random: &mut Random) {
    let id = random.extreme();
    match random.below(5) {
        0 => drop(plane.event_metadata.pop_first()),
        1 => drop(plane.stat_metadata.pop_last()),
        2 => {
            if let Some(copy) = plane.lines.first().cloned() {
                plane.lines.push(copy);
            }
        }
        3 => {
            if let Some(line) = random.one_of(&mut plane.lines) {
                (line.id, line.display_id) = (id, id);
            }
        }
        _ => {
            let line = random.one_of(&mut plane.lines);
            let event = line.and_then(|line| random.one_of(&mut line.events));
            if let Some(event) = event {
                event.metadata_id = id;
            }
        }
    }
}

fn stats_of_metadata(plane: &mut XPlane, random: &mut Random) {
    let position = random.below(plane.event_metadata.len());
    if let Some(entry) = plane.event_metadata.values_mut().nth(position)
        && let Some(stat) = random.one_of(&mut entry.stats)
    {
        stat.value = Some(extreme_value(random));
    }
}

fn extreme_value(random: &mut Random) -> StatValue {
    match random.below(5) {
        0 => StatValue::Double(f64::NAN),
        1 => StatValue::Double(f64::INFINITY),
        2 => StatValue::Uint64(u64::MAX),
        _ => StatValue::Int64(random.extreme()),
    }
}

fn times(line: &mut XLine, random: &mut Random) {
    let number = random.extreme();
    if random.below(12) == 0 {
        line.timestamp_ns = number;
        return;
    }
    let Some(event) = random.one_of(&mut line.events) else {
        return;
    };
    match random.below(5) {
        0 => event.data = Some(EventData::OffsetPs(number)),
        1 => event.duration_ps = number,
        2 => {
            event.data = Some(EventData::OffsetPs(number));
            event.duration_ps = random.extreme();
        }
        3 => event.data = Some(EventData::NumOccurrences(number)),
        _ => {
            if let Some(stat) = random.one_of(&mut event.stats) {
                stat.value = Some(extreme_value(random));
            }
        }
    }
}
