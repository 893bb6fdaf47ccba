//! Which sessions a reader fetches together, before it reads them one after another.

/// Sessions that one reader fetches together.
const MOST_AHEAD: usize = 32;

/// How many sessions are fetched together: more each time, so that a query that needs few rows fetches
/// few, and one that needs all waits seldom.
#[derive(Default)]
pub(super) struct Ahead {
    /// How many sessions after the current one were fetched.
    fetched: usize,
    /// How many were fetched together.
    last: usize,
}

impl Ahead {
    /// Of the sessions from here on, those to fetch now; none while some are left.
    pub(super) fn after<'a>(&mut self, next: &'a [usize]) -> &'a [usize] {
        if self.fetched == 0 {
            self.last = (2 * self.last).clamp(1, MOST_AHEAD);
            self.fetched = self.last - 1;
            return &next[..self.last.min(next.len())];
        }
        self.fetched -= 1;
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::Ahead;

    #[test]
    fn each_session_is_fetched_once_and_before_it_is_read() {
        let all: Vec<usize> = (0..200).collect();
        let mut ahead = Ahead::default();
        let mut fetched = Vec::new();
        let mut sizes = Vec::new();
        for position in 0..all.len() {
            let now = ahead.after(&all[position..]);
            fetched.extend_from_slice(now);
            sizes.extend((!now.is_empty()).then_some(now.len()));
            assert!(fetched.contains(&position));
        }
        assert_eq!(fetched, all);
        assert_eq!(sizes, [1, 2, 4, 8, 16, 32, 32, 32, 32, 32, 9]);
    }
}
