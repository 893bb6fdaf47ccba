//! How one dimension is cut, and how those of one value are: each kept once under a number.

use rustc_hash::FxHashMap;

use crate::device_sets::{DivisionId, Divisions};

/// Values that are kept apart.
const MAX_PLACES: usize = 1 << 16;

/// How the devices divide one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Cut {
    /// However the values that it meets are: every device made it for itself.
    Any,
    /// Into this many parts, and which devices have the same one, if that is known.
    Parts(u32, Option<DivisionId>),
    /// Nothing is known.
    Unknown,
}

impl Cut {
    /// Every device has all of it.
    pub(super) const WHOLE: Self = Self::Parts(1, Some(0));

    /// Whether no device has but a part of it, as far as is known.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Any | Self::WHOLE)
    }

    /// What holds for two dimensions that are one.
    pub(super) fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Self::Any | Self::Unknown, other) if other != Self::Any => other,
            (own, Self::Any | Self::Unknown) => own,
            (Self::Parts(left, along), Self::Parts(right, other)) if left == right => {
                match (along, other) {
                    (Some(left), Some(right)) if left != right => Self::Unknown,
                    (along, other) => Self::Parts(left, along.or(other)),
                }
            }
            _ => Self::Unknown,
        }
    }

    /// What holds for a dimension that is now one, now the other.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Any, other) | (other, Self::Any) => other,
            (own, other) if own == other => own,
            (Self::Parts(left, _), Self::Parts(right, _)) if left == right => {
                Self::Parts(left, None)
            }
            _ => Self::Unknown,
        }
    }
}

/// Number of the cuts of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct PlaceId(u32);

impl PlaceId {
    /// Nothing was said yet.
    const NOTHING: Self = Self(0);
    /// Nothing is known of any dimension.
    pub(super) const UNKNOWN: Self = Self(1);
}

/// The cuts of values, each kept once.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) divisions: Divisions,
    cuts: Vec<Vec<Cut>>,
    by_cuts: FxHashMap<Vec<Cut>, PlaceId>,
    joined: FxHashMap<(PlaceId, PlaceId), PlaceId>,
}

impl Places {
    pub(super) fn new(divisions: Divisions) -> Self {
        Self {
            divisions,
            // Places of the two that have no list.
            cuts: vec![Vec::new(); 2],
            by_cuts: FxHashMap::default(),
            joined: FxHashMap::default(),
        }
    }

    /// The cuts of a value with this number of dimensions.
    pub(super) fn cuts(&self, id: PlaceId, rank: usize) -> Vec<Cut> {
        let own = match id {
            PlaceId::NOTHING => return vec![Cut::Any; rank],
            PlaceId::UNKNOWN => None,
            PlaceId(number) => self.cuts.get(number as usize),
        };
        let own = own.filter(|cuts| cuts.len() == rank);
        own.map_or_else(|| vec![Cut::Unknown; rank], Clone::clone)
    }

    pub(super) fn intern(&mut self, cuts: Vec<Cut>) -> PlaceId {
        if let Some(&known) = self.by_cuts.get(&cuts) {
            return known;
        }
        if self.cuts.len() >= MAX_PLACES {
            return PlaceId::UNKNOWN;
        }
        let id = u32::try_from(self.cuts.len()).map_or(PlaceId::UNKNOWN, PlaceId);
        self.cuts.push(cuts.clone());
        self.by_cuts.insert(cuts, id);
        id
    }

    pub(super) fn join(&mut self, left: PlaceId, right: PlaceId) -> PlaceId {
        match (left, right) {
            (PlaceId::NOTHING, other) | (other, PlaceId::NOTHING) => return other,
            (left, right) if left == right => return left,
            (PlaceId::UNKNOWN, _) | (_, PlaceId::UNKNOWN) => return PlaceId::UNKNOWN,
            _ => {}
        }
        if let Some(&known) = self.joined.get(&(left, right)) {
            return known;
        }
        let own = |id: PlaceId| &self.cuts[id.0 as usize];
        let joined = if own(left).len() == own(right).len() {
            let pairs = own(left).iter().zip(own(right));
            let cuts = pairs.map(|(&left, &right)| left.join(right)).collect();
            self.intern(cuts)
        } else {
            PlaceId::UNKNOWN
        };
        self.joined.insert((left, right), joined);
        joined
    }

    /// Parts of which the division has as many sets, each of devices with the same part.
    pub(super) fn parts(&self, count: u64, along: Option<DivisionId>) -> Cut {
        if count == 1 {
            return Cut::WHOLE;
        }
        let Ok(count) = u32::try_from(count) else {
            return Cut::Unknown;
        };
        let fits = |along: &DivisionId| self.divisions.set_count(*along) == count as usize;
        Cut::Parts(count, along.filter(fits))
    }

    /// The first device of each set.
    pub(super) fn first_devices(&self, along: DivisionId) -> Vec<i64> {
        // Sets are numbered in the order of their first device.
        let mut seen = 0;
        let sets = self.divisions.sets(along).iter().zip(0i64..);
        let firsts = sets.filter(|(set, _)| {
            let is_first = **set == seen;
            seen += u32::from(is_first);
            is_first
        });
        firsts.map(|(_, device)| device).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_meets_is_one_and_what_joins_is_either() {
        let (four, other) = (Cut::Parts(4, Some(2)), Cut::Parts(4, None));
        for known in [four, other, Cut::WHOLE] {
            assert_eq!(Cut::Any.meet(known), known);
            assert_eq!(known.meet(Cut::Unknown), known);
            assert_eq!(Cut::Any.join(known), known);
            assert_eq!(known.join(Cut::Unknown), Cut::Unknown);
        }
        assert_eq!(four.meet(other), four);
        assert_eq!(four.join(other), other);
        assert_eq!(four.meet(Cut::Parts(4, Some(3))), Cut::Unknown);
        assert_eq!(four.meet(Cut::WHOLE), Cut::Unknown);
        assert_eq!(Cut::Any.meet(Cut::Unknown), Cut::Unknown);
        assert_eq!(Cut::Any.meet(Cut::Any), Cut::Any);
    }
}
