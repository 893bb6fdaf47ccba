//! Annotations that end inside the call that launches their work, as `stepscope run` makes them: jax
//! tells it of a run once its program is handed over.
//!
//! The work of such a step follows its annotation. In a loop that waits for it, the step ends when
//! the work does, which is where the next one begins:
//!
//! ```text
//! host     [  step 5 [call]  [ step 6 [call]      [ step 7 [call]
//! device              [ work 5 ]       [ work 6 ]          [ work 7 ]
//! steps    |--- step 5 --------|--- step 6 ------|--- step 7 --------|
//! ```

use super::evidence::HostStep;
use super::launched::DeviceWorks;
use crate::units::{Picos, Span};

/// The times of the steps of one host, if their annotations end in calls and the loop waited for
/// the work of each: nine in ten did so before the next annotation ended.
pub(super) fn spans(annotations: &[HostStep], works: &[DeviceWorks]) -> Option<Vec<Span>> {
    let ends: Vec<Option<Picos>> = (0..annotations.len())
        .map(|position| {
            let own = works.iter().filter_map(|on| on.works[position]);
            own.map(|work| work.end).max()
        })
        .collect();
    let known = || {
        annotations
            .iter()
            .zip(&ends)
            .filter(|(_, end)| end.is_some())
    };
    let in_calls = known().filter(|(step, _)| step.ends_in_call).count();
    let pairs = || {
        let next = annotations.iter().skip(1);
        next.zip(&ends)
            .filter_map(|(next, end)| Some((next, (*end)?)))
    };
    let waited = pairs().filter(|(next, end)| *end <= next.span.end).count();
    let is_most = |part: usize, all: usize| part * 10 >= all * 9;
    let is_known = known().next().is_some();
    if !is_known || !is_most(in_calls, known().count()) || !is_most(waited, pairs().count()) {
        return None;
    }
    let mut previous: Option<Picos> = None;
    let spans = annotations.iter().zip(&ends).map(|(step, end)| {
        let start = previous.map_or(step.span.start, |end| end.max(step.span.start));
        let end = end.unwrap_or(step.span.end).max(start);
        previous = Some(end);
        Span::new(start, end)
    });
    Some(spans.collect())
}
