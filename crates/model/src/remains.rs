//! How much of a profile is intact, to choose between two records of one capture.

use stepscope_xplane::Space;

/// What is said of a file without a byte.
pub const EMPTY: &str = "the file is empty (0 bytes)";

/// Why a writer may leave an empty file, and what to do: a protobuf message can have at most 2 GiB.
pub const WHY_EMPTY: &str = "an XSpace above 2 GiB cannot be written as one message: capture fewer \
                             steps or with fewer tracers, or have JAX 0.12 write *.xplane.riegeli \
                             (advanced_configuration={\"enable_continuous_profiling\": True})";

/// What can be decoded of a profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Remains {
    /// Planes with a name.
    pub planes: usize,
    /// Events of all kinds.
    pub events: u64,
}

/// Whether a profile has content and ends at the end of a plane. Only reads the first bytes of
/// planes.
pub fn is_whole(bytes: &[u8]) -> bool {
    !bytes.is_empty() && stepscope_xplane::is_whole(bytes)
}

/// What can be decoded of a profile. Reads all of its events.
pub fn remains(bytes: &[u8]) -> Remains {
    let space = Space::outline(bytes);
    let named = space.planes.iter().filter(|plane| !plane.name.is_empty());
    let lines = space.planes.iter().flat_map(|plane| &plane.lines);
    Remains {
        planes: named.count(),
        events: lines.map(|line| line.events().count() as u64).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_that_is_cut_short_is_told_and_counted() {
        let text = "thread main\n 0..10us a\n 20..30us b\n";
        let space = stepscope_testing::drawing::draw(text).expect("a drawing");
        let bytes = space.to_bytes();
        let all = Remains {
            planes: 1,
            events: 2,
        };
        assert!(is_whole(&bytes));
        assert_eq!(remains(&bytes), all);
        let mut counts = Vec::new();
        for end in 0..bytes.len() {
            assert!(!is_whole(&bytes[..end]), "{end}");
            counts.push(remains(&bytes[..end]).events);
        }
        assert!(counts.is_sorted() && counts.contains(&1) && counts[0] == 0);
    }
}
