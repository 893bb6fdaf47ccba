//! Transposed chunks: the fields of protobuf messages sorted into buffers, one for each path of
//! fields, and a state machine that puts them back.
//!
//! ```text
//! data         │codec│ header │ bucket │ bucket │ … │ transitions │
//! header       sizes of buckets and buffers │ states │ first state
//! buckets      all buffers, one after the other, compressed in groups
//! transitions  which state comes next, where there is a choice
//! ```

use crate::codec::{Codec, zeroed};
use crate::lost::Cause;
use crate::machine::{Action, Machine, State, Tag};
use crate::varint::Cursor;

/// What a chunk needs beside its records, at most: buffers hold what records hold, and states and
/// transitions are a few bytes for each field.
const fn budget(decoded_bytes: usize, records: usize) -> usize {
    decoded_bytes
        .saturating_mul(8)
        .saturating_add(records.saturating_mul(16))
        .saturating_add(1 << 20)
}

/// Writes all records into `into`.
pub(crate) fn decode(data: &[u8], records: u64, into: &mut [u8]) -> Result<(), Cause> {
    let records = usize::try_from(records).map_err(|_| Cause::Malformed)?;
    let mut budget = budget(into.len(), records);
    let mut cursor = Cursor(data);
    let codec = Codec::of(cursor.byte()?)?;
    let header_bytes = cursor.size()?;
    let header = codec.unfold_part(cursor.take(header_bytes)?, &mut budget)?;
    let mut header = Cursor(&header);
    let bucket_count = header.size()?;
    let buffer_count = header.size()?;
    let buckets = sizes(&mut header, bucket_count)?;
    let buffer_sizes = sizes(&mut header, buffer_count)?;
    let values = unfold_buckets(codec, &mut cursor, &buckets, &mut budget)?;
    let buffers = divide(&values, &buffer_sizes)?;
    let (states, first) = states(&mut header, buffers.len())?;
    let transitions = codec.unfold_part(cursor.0, &mut budget)?;
    Machine {
        states: &states,
        buffers,
        transitions: Cursor(&transitions),
        records,
    }
    .run(first, into)
}

/// So many sizes; each takes a byte at least, so what is there bounds them.
fn sizes(header: &mut Cursor<'_>, count: usize) -> Result<Vec<usize>, Cause> {
    if count > header.0.len() {
        return Err(Cause::Malformed);
    }
    (0..count).map(|_| header.size()).collect()
}

/// All buckets unfolded, one after the other.
fn unfold_buckets(
    codec: Codec,
    cursor: &mut Cursor<'_>,
    sizes: &[usize],
    budget: &mut usize,
) -> Result<Vec<u8>, Cause> {
    let mut parts = Vec::with_capacity(sizes.len());
    let mut total: usize = 0;
    for &size in sizes {
        let part = codec.open(cursor.take(size)?)?;
        total = total.checked_add(part.0).ok_or(Cause::Malformed)?;
        parts.push(part);
    }
    *budget = budget.checked_sub(total).ok_or(Cause::Malformed)?;
    let mut values = zeroed(total)?;
    let mut rest = values.as_mut_slice();
    for (size, part) in parts {
        let (bucket, behind) = rest.split_at_mut(size);
        codec.unfold(part, bucket)?;
        rest = behind;
    }
    Ok(values)
}

/// The buffers, which fill the buckets without a gap.
fn divide<'a>(values: &'a [u8], sizes: &[usize]) -> Result<Vec<Cursor<'a>>, Cause> {
    let mut rest = Cursor(values);
    let buffers = sizes.iter().map(|&size| rest.take(size).map(Cursor));
    let buffers = buffers.collect::<Result<_, _>>()?;
    if rest.0.is_empty() {
        Ok(buffers)
    } else {
        Err(Cause::Malformed)
    }
}

// Tags below 8 are no tags of protobuf.
const NOTHING: u32 = 0;
const NO_MESSAGE: u32 = 1;
const START_OF_SUBMESSAGE: u32 = 2;
const START_OF_MESSAGE: u32 = 3;

// Types on the wire; the last is of this format alone.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const TEXT: u32 = 2;
const START_OF_GROUP: u32 = 3;
const END_OF_GROUP: u32 = 4;
const FIXED32: u32 = 5;
const END_OF_SUBMESSAGE: u32 = 6;

/// Subtypes of varints: below, one less than their length; from here on, the value itself.
const FIRST_INLINE: u8 = 10;
const LAST_INLINE: u8 = FIRST_INLINE + 0x7f;

const fn wire_type(tag: u32) -> u32 {
    tag & 7
}

/// The states, and which is the first. The header has them in columns: tags, next states, subtypes
/// of varints, buffers.
fn states(header: &mut Cursor<'_>, buffers: usize) -> Result<(Vec<State>, usize), Cause> {
    let count = header.size()?;
    // Each takes two bytes at least.
    if count > header.0.len() / 2 {
        return Err(Cause::Malformed);
    }
    let tags = (0..count).map(|_| header.number());
    let tags = tags.collect::<Result<Vec<u32>, Cause>>()?;
    let next = sizes(header, count)?;
    let is_varint = |tag: &&u32| **tag >= 8 && wire_type(**tag) == VARINT;
    let mut subtypes = Cursor(header.take(tags.iter().filter(is_varint).count())?);
    let mut states = Vec::with_capacity(count);
    for (&tag, &next) in tags.iter().zip(&next) {
        // Numbers beyond the last state mark those that follow without a transition.
        let is_implicit = next >= count;
        let next = if is_implicit { next - count } else { next };
        let (action, tag) = action(tag, &mut subtypes, header, buffers)?;
        states.push(State {
            action,
            tag,
            next,
            is_implicit,
        });
    }
    let first = header.size()?;
    if first >= count || states.iter().any(|state| state.next >= count) {
        return Err(Cause::Malformed);
    }
    Ok((states, first))
}

fn action(
    tag: u32,
    subtypes: &mut Cursor<'_>,
    header: &mut Cursor<'_>,
    buffers: usize,
) -> Result<(Action, Tag), Cause> {
    let mut buffer = || {
        let index = header.size()?;
        if index < buffers {
            Ok(index)
        } else {
            Err(Cause::Malformed)
        }
    };
    let named = Tag::of(tag);
    let action = match tag {
        NOTHING => Action::Nothing,
        NO_MESSAGE => Action::Bytes(buffer()?),
        START_OF_SUBMESSAGE => Action::StartOfSubmessage,
        START_OF_MESSAGE => Action::StartOfMessage,
        4..=7 => return Err(Cause::Malformed),
        _ => match wire_type(tag) {
            VARINT => match subtypes.byte()? {
                subtype @ FIRST_INLINE..=LAST_INLINE => {
                    return Ok((Action::Tag, named.with(subtype - FIRST_INLINE)));
                }
                subtype if subtype < FIRST_INLINE => Action::Varint(buffer()?, subtype + 1),
                _ => return Err(Cause::Malformed),
            },
            FIXED64 => Action::Fixed(buffer()?, 8),
            FIXED32 => Action::Fixed(buffer()?, 4),
            TEXT => Action::Text(buffer()?),
            START_OF_GROUP | END_OF_GROUP => Action::Tag,
            END_OF_SUBMESSAGE => {
                let of_field = Tag::of(tag - END_OF_SUBMESSAGE + TEXT);
                return Ok((Action::EndOfSubmessage, of_field));
            }
            _ => return Err(Cause::Malformed),
        },
    };
    Ok((action, named))
}
