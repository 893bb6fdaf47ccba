//! Shardings as HLO text writes them, to their message.

use super::messages::Sharding;
use super::syntax::{inside, numbers, split_top_level};
use crate::drawing::problem::Checked;

const MAXIMAL: i32 = 1;
const TUPLE: i32 = 2;
const TILED: i32 = 3;

/// `{replicated}`, `{maximal}`, `{devices=[4,1,2]<=[4,2]T(1,0) last_tile_dim_replicate}`, or a list
/// `{{replicated}, {replicated}}` for a tuple.
pub(super) fn parse(text: &str) -> Checked<Sharding> {
    let inner = inside(text);
    if inner.starts_with('{') {
        let tuple = split_top_level(inner).into_iter().map(parse);
        return Ok(Sharding {
            kind: TUPLE,
            tuple: tuple.collect::<Checked<_>>()?,
            ..Sharding::default()
        });
    }
    let problem = || format!("`{text}` is no sharding that can be drawn");
    match inner {
        "replicated" => return Ok(Sharding::default()),
        "maximal" => {
            return Ok(Sharding {
                kind: MAXIMAL,
                ..Sharding::default()
            });
        }
        _ => {}
    }
    let rest = inner.strip_prefix("devices=[").ok_or_else(problem)?;
    let (tiles, rest) = rest.split_once("]<=[").ok_or_else(problem)?;
    let (shape, rest) = rest.split_once(']').ok_or_else(problem)?;
    let transposed = rest
        .strip_prefix("T(")
        .and_then(|rest| rest.split_once(')'));
    let (transpose, rest) = transposed.unwrap_or(("", rest));
    let transpose = numbers(transpose)?.into_iter().map(i32::try_from);
    Ok(Sharding {
        kind: TILED,
        tile_dimensions: numbers(tiles)?,
        iota_reshape_dimensions: numbers(shape)?,
        iota_transpose: transpose.collect::<Result<_, _>>().map_err(|_| problem())?,
        replicates_on_last_tile_dimension: rest.trim() == "last_tile_dim_replicate",
        ..Sharding::default()
    })
}
