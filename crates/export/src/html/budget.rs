//! The remaining space in a file.

/// Space in a file, in bytes.
pub(super) struct Budget {
    room: u64,
    taken: u64,
}

impl Budget {
    /// A file of this size, of which some bytes are used by mandatory content.
    pub(super) const fn new(most_bytes: u64, used_bytes: u64) -> Self {
        Self {
            room: most_bytes.saturating_sub(used_bytes),
            taken: 0,
        }
    }

    pub(super) const fn take(&mut self, bytes: u64) {
        self.taken = self.taken.saturating_add(bytes);
    }

    pub(super) const fn left(&self) -> u64 {
        self.room.saturating_sub(self.taken)
    }

    /// How much may still be used so that at most this share of the space is used.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a size is a size"
    )]
    pub(super) fn up_to(&self, share: f64) -> u64 {
        let room = (self.room as f64 * share) as u64;
        room.saturating_sub(self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_room_and_what_is_taken_counts() {
        let mut budget = Budget::new(1100, 100);
        assert_eq!(budget.up_to(0.6), 600);
        budget.take(700);
        assert_eq!(
            (budget.up_to(0.6), budget.up_to(0.9), budget.left()),
            (0, 200, 300)
        );
        assert_eq!(Budget::new(10, 100).left(), 0);
    }
}
