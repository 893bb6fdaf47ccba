//! How a value is divided over devices: `{replicated}`, `{devices=[4,1]<=[4]}`,
//! `{mesh['data'=4,'model'=2], [{'data'}, {}]}`.

mod named;
mod parts;
mod values;

use std::fmt;

pub use parts::Division;
use prost::Message;
pub use values::ShardedValue;

use self::named::NamedSharding;
use crate::shape::write_separator;

/// Deeper tuples of shardings than any program has are cut.
const MAX_DEPTH: usize = 16;

/// How one value, or each leaf of a tuple, is divided.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct OpSharding {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(int64, repeated, tag = "3")]
    tile_dimensions: Vec<i64>,
    #[prost(int64, repeated, tag = "4")]
    tile_devices: Vec<i64>,
    #[prost(message, repeated, tag = "5")]
    tuple: Vec<Self>,
    #[prost(bool, tag = "6")]
    replicates_on_last_tile_dimension: bool,
    #[prost(int32, repeated, tag = "8")]
    last_tile_dimensions: Vec<i32>,
    #[prost(int64, repeated, tag = "9")]
    iota_reshape_dimensions: Vec<i64>,
    #[prost(int32, repeated, tag = "10")]
    iota_transpose: Vec<i32>,
    /// Where it is written, the other fields say nothing.
    #[prost(message, optional, boxed, tag = "14")]
    named: Option<Box<NamedSharding>>,
}

/// How the value of an input or output is divided over devices.
#[derive(Debug, Clone, PartialEq)]
pub struct Sharding(OpSharding);

impl fmt::Display for Sharding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.text())
    }
}

const MAXIMAL: i32 = 1;
const TUPLE: i32 = 2;
const TILED: i32 = 3;
const MANUAL: i32 = 4;
const UNKNOWN: i32 = 5;
const UNREDUCED: i32 = 6;

impl OpSharding {
    /// In the words of HLO text.
    pub(crate) fn text(&self) -> String {
        self.text_within(MAX_DEPTH)
    }

    fn text_within(&self, depth: usize) -> String {
        if let Some(named) = &self.named {
            return named.text();
        }
        match self.kind {
            TUPLE if depth == 0 => "{...}".to_owned(),
            TUPLE => {
                let mut text = String::from("{");
                for (index, leaf) in self.tuple.iter().enumerate() {
                    // Writing to a string cannot fail.
                    let _ = write_separator(&mut text, index);
                    text.push_str(&leaf.text_within(depth - 1));
                }
                text.push('}');
                text
            }
            MAXIMAL => {
                let device = self.tile_devices.first().copied().unwrap_or(0);
                format!("{{maximal device={device}}}")
            }
            TILED => self.tiled(),
            MANUAL => "{manual}".to_owned(),
            UNKNOWN => "{unknown}".to_owned(),
            UNREDUCED => "{unreduced}".to_owned(),
            _ => "{replicated}".to_owned(),
        }
    }

    fn tiled(&self) -> String {
        let devices = if self.iota_reshape_dimensions.is_empty() {
            joined(&self.tile_devices)
        } else {
            let transpose = if self.iota_transpose.len() > 1 {
                format!("T({})", joined(&self.iota_transpose))
            } else {
                String::new()
            };
            format!("<=[{}]{transpose}", joined(&self.iota_reshape_dimensions))
        };
        let last = if self.replicates_on_last_tile_dimension {
            " last_tile_dim_replicate".to_owned()
        } else if self.last_tile_dimensions.is_empty() {
            String::new()
        } else {
            let kinds: Vec<&str> = self
                .last_tile_dimensions
                .iter()
                .map(|&kind| match kind {
                    MAXIMAL => "maximal",
                    MANUAL => "manual",
                    UNKNOWN => "unknown",
                    UNREDUCED => "unreduced",
                    _ => "replicated",
                })
                .collect();
            format!(" last_tile_dims={{{}}}", kinds.join(", "))
        };
        let dimensions = joined(&self.tile_dimensions);
        format!("{{devices=[{dimensions}]{devices}{last}}}")
    }
}

fn joined(numbers: &[impl ToString]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_xla() {
        let tiled = OpSharding {
            kind: TILED,
            tile_dimensions: vec![2, 1, 4],
            iota_reshape_dimensions: vec![4, 2],
            iota_transpose: vec![1, 0],
            replicates_on_last_tile_dimension: true,
            ..OpSharding::default()
        };
        assert_eq!(
            tiled.text(),
            "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"
        );
        let listed = OpSharding {
            kind: TILED,
            tile_dimensions: vec![2],
            tile_devices: vec![1, 0],
            last_tile_dimensions: vec![MANUAL, 0],
            ..OpSharding::default()
        };
        let one = OpSharding {
            kind: MAXIMAL,
            tile_devices: vec![3],
            ..OpSharding::default()
        };
        let tuple = OpSharding {
            kind: TUPLE,
            tuple: vec![listed, one, OpSharding::default()],
            ..OpSharding::default()
        };
        assert_eq!(
            tuple.text(),
            "{{devices=[2]1,0 last_tile_dims={manual, replicated}}, {maximal device=3}, {replicated}}"
        );
    }
}
