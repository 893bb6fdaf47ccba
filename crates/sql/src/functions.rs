//! Functions for intervals, units and scopes; see [`FUNCTIONS`].

use std::mem::size_of;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, Float64Array, Int64Array, ListArray, StringArray};
use arrow_schema::{DataType, Field};
use datafusion::error::Result;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, ColumnarValue, ScalarUDF, Volatility, create_udaf, create_udf,
};
use datafusion::scalar::ScalarValue;

/// Signatures and values of the functions that SQL itself does not have.
pub const FUNCTIONS: &[(&str, &str)] = &[
    (
        "overlap_ps(start, duration, other_start, other_duration)",
        "Length that two intervals have in common",
    ),
    (
        "union_ps(start, duration)",
        "Length of the union of all intervals of a group",
    ),
    ("us(ps)", "A time in microseconds"),
    ("ms(ps)", "A time in milliseconds"),
    ("seconds(ps)", "A time in seconds"),
    ("mib(bytes)", "A size in MiB"),
    ("gib(bytes)", "A size in GiB"),
    (
        "scope_prefix(scope, levels)",
        "The first parts of a scope: scope_prefix('jit(step)/layer_0/dot', 2) is 'jit(step)/layer_0'",
    ),
];

/// Functions from values to a value.
pub fn scalars() -> Vec<ScalarUDF> {
    let scaled = |name: &str, divisor: f64| {
        create_udf(
            name,
            vec![DataType::Float64],
            DataType::Float64,
            Volatility::Immutable,
            Arc::new(move |arguments: &[ColumnarValue]| {
                let arrays = ColumnarValue::values_to_arrays(arguments)?;
                let values = arrays[0].as_primitive::<Float64Type>();
                let scaled: Float64Array = values.iter().map(|one| Some(one? / divisor)).collect();
                Ok(ColumnarValue::Array(Arc::new(scaled)))
            }),
        )
    };
    vec![
        scaled("us", 1e6),
        scaled("ms", 1e9),
        scaled("seconds", 1e12),
        scaled("mib", f64::from(1 << 20)),
        scaled("gib", f64::from(1 << 30)),
        overlap(),
        scope_prefix(),
    ]
}

fn overlap() -> ScalarUDF {
    create_udf(
        "overlap_ps",
        vec![DataType::Int64; 4],
        DataType::Int64,
        Volatility::Immutable,
        Arc::new(|arguments: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(arguments)?;
            let numbers = |index: usize| arrays[index].as_primitive::<Int64Type>();
            let (start, duration) = (numbers(0), numbers(1));
            let (other_start, other_duration) = (numbers(2), numbers(3));
            let known =
                |array: &Int64Array, row: usize| (!array.is_null(row)).then(|| array.value(row));
            let common = (0..start.len()).map(|row| {
                let (one, other) = (known(start, row)?, known(other_start, row)?);
                let end = one.saturating_add(known(duration, row)?);
                let other_end = other.saturating_add(known(other_duration, row)?);
                Some(end.min(other_end).saturating_sub(one.max(other)).max(0))
            });
            let common: Int64Array = common.collect();
            Ok(ColumnarValue::Array(Arc::new(common)))
        }),
    )
}

fn scope_prefix() -> ScalarUDF {
    create_udf(
        "scope_prefix",
        vec![DataType::Utf8, DataType::Int64],
        DataType::Utf8,
        Volatility::Immutable,
        Arc::new(|arguments: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(arguments)?;
            let scopes = arrays[0].as_string::<i32>();
            let levels = arrays[1].as_primitive::<Int64Type>();
            let prefixes = scopes.iter().zip(levels.iter()).map(|(scope, levels)| {
                let levels = usize::try_from(levels?).unwrap_or(0);
                let mut ends = scope?.match_indices('/').map(|(at, _)| at);
                let end = match levels.checked_sub(1) {
                    None => 0,
                    Some(skipped) => ends.nth(skipped).unwrap_or(scope?.len()),
                };
                Some(&scope?[..end])
            });
            let prefixes: StringArray = prefixes.collect();
            Ok(ColumnarValue::Array(Arc::new(prefixes)))
        }),
    )
}

/// Functions from the rows of a group to a value.
pub fn aggregates() -> Vec<AggregateUDF> {
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::Int64, true)));
    vec![create_udaf(
        "union_ps",
        vec![DataType::Int64, DataType::Int64],
        Arc::new(DataType::Int64),
        Volatility::Immutable,
        Arc::new(|_| Ok(Box::new(Union::default()))),
        Arc::new(vec![list.clone(), list]),
    )]
}

/// Intervals of a group. Sorted and joined when there are twice as many as after the last time.
#[derive(Debug, Default)]
struct Union {
    intervals: Vec<(i64, i64)>,
    joined: usize,
}

/// Intervals that are kept before any are joined.
const FEW: usize = 1024;

impl Union {
    fn push(&mut self, start: i64, duration: i64) {
        self.intervals
            .push((start, start.saturating_add(duration.max(0))));
        if self.intervals.len() > FEW.max(2 * self.joined) {
            self.join();
        }
    }

    fn join(&mut self) {
        self.intervals.sort_unstable();
        let mut joined: Vec<(i64, i64)> = Vec::new();
        for &(start, end) in &self.intervals {
            match joined.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        self.joined = joined.len();
        self.intervals = joined;
    }
}

impl Accumulator for Union {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let (starts, durations) = (
            values[0].as_primitive::<Int64Type>(),
            values[1].as_primitive::<Int64Type>(),
        );
        for (start, duration) in starts.iter().zip(durations.iter()) {
            if let (Some(start), Some(duration)) = (start, duration) {
                self.push(start, duration);
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.join();
        let length = |&(start, end): &(i64, i64)| end.saturating_sub(start);
        let lengths = self.intervals.iter().map(length);
        let total = lengths.fold(0_i64, i64::saturating_add);
        Ok(ScalarValue::Int64(
            (!self.intervals.is_empty()).then_some(total),
        ))
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.intervals.capacity() * size_of::<(i64, i64)>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.join();
        let list = |values: Vec<Option<i64>>| {
            let list = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(values)]);
            ScalarValue::List(Arc::new(list))
        };
        let starts = self.intervals.iter().map(|&(start, _)| Some(start));
        let durations = self.intervals.iter();
        let durations = durations.map(|&(start, end)| Some(end.saturating_sub(start)));
        Ok(vec![list(starts.collect()), list(durations.collect())])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let (starts, durations) = (states[0].as_list::<i32>(), states[1].as_list::<i32>());
        for (starts, durations) in starts.iter().zip(durations.iter()) {
            if let (Some(starts), Some(durations)) = (starts, durations) {
                self.update_batch(&[starts, durations])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_counts_no_time_twice() {
        let mut union = Union::default();
        for (start, duration) in [(0, 10), (5, 10), (20, 5), (20, 5), (25, 1), (40, 0)] {
            union.push(start, duration);
        }
        assert_eq!(union.evaluate().unwrap(), ScalarValue::Int64(Some(21)));
        let empty = Union::default().evaluate().unwrap();
        assert_eq!(empty, ScalarValue::Int64(None));
    }

    #[test]
    fn parts_of_a_union_are_joined() {
        // More than are kept apart, against a brute-force count of covered instants.
        let intervals: Vec<(i64, i64)> =
            (0..5000).map(|at| ((at * 7919) % 20_000, at % 6)).collect();
        let mut covered = vec![false; 20_010];
        for &(start, duration) in &intervals {
            (start..start + duration).for_each(|at| covered[usize::try_from(at).unwrap()] = true);
        }
        let expected = i64::try_from(covered.iter().filter(|&&at| at).count()).unwrap();
        let mut whole = Union::default();
        for half in intervals.chunks(2500) {
            let mut part = Union::default();
            for &(start, duration) in half {
                part.push(start, duration);
            }
            let state = part.state().unwrap();
            let arrays: Vec<ArrayRef> = state.iter().map(|one| one.to_array().unwrap()).collect();
            whole.merge_batch(&arrays).unwrap();
        }
        assert_eq!(
            whole.evaluate().unwrap(),
            ScalarValue::Int64(Some(expected))
        );
    }
}
