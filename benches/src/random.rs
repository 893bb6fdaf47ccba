//! Random windows that are the same in every run.

use stepscope_model::{Picos, Span};

/// A small generator of pseudo-random numbers (SplitMix64, public domain).
pub struct Random(u64);

impl Random {
    /// Equal seeds give equal numbers.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A window anywhere within the extent.
    #[expect(clippy::cast_possible_truncation, reason = "within the extent")]
    pub fn window(&mut self, extent: Span, lengths: Lengths) -> Span {
        const SHORTEST_PS: f64 = 1e7;
        let whole = extent.duration().0 as f64;
        let shortest = SHORTEST_PS.min(whole);
        let length = match lengths {
            Lengths::Even => shortest + (whole - shortest) * self.unit(),
            Lengths::Zoomed => shortest * (whole / shortest).powf(self.unit()),
        };
        let start = extent.start.0 + ((whole - length) * self.unit()) as i64;
        Span::new(Picos(start), Picos(start + length as i64))
    }
}

/// How long random windows are, from 10 us to the whole extent.
#[derive(Debug, Clone, Copy)]
pub enum Lengths {
    /// All lengths are equally likely: most windows contain much of the session.
    Even,
    /// All orders of magnitude are equally likely, like in real zooming.
    Zoomed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_lie_within_and_differ() {
        let extent = Span::new(Picos(-5_000_000_000), Picos(90_000_000_000));
        let mut random = Random::new(7);
        let mut short = |lengths| {
            let windows: Vec<Span> = (0..500).map(|_| random.window(extent, lengths)).collect();
            let is_within = |span: &Span| span.start >= extent.start && span.end <= extent.end;
            assert!(windows.iter().all(is_within));
            let is_short = |span: &&Span| span.duration().0 < 1_000_000_000;
            windows.iter().filter(is_short).count()
        };
        assert!(
            (200..300).contains(&short(Lengths::Zoomed)),
            "half are below 1 ms"
        );
        assert!(short(Lengths::Even) < 20, "a hundredth is below 1 ms");
    }
}
