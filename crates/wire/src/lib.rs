//! Protobuf's wire format: messages read field by field, and written.
//!
//! ```text
//! bytes ── Cursor::field ──► number, value     all there is to know, and where it stands
//!       ── Fields::of    ──► number, value     whole fields, to the end or to damage
//! bytes ◄─ push_number, push_bytes, push_message, …
//! ```
//!
//! The format itself says nothing about what a message is: the crates that read one know its field
//! numbers, this one knows none. There is no schema and no generated code, because a generated
//! decoder gives nothing at all for a file that ends early, and copies what it decodes.
//!
//! ```
//! use stepscope_wire::{Fields, Value, push_bytes, push_number};
//!
//! let mut message = Vec::new();
//! push_number(&mut message, 1, 300);
//! push_bytes(&mut message, 2, b"/host:CPU");
//! let mut fields = Fields::of(&message);
//! assert_eq!(fields.next().map(|field| field.value), Some(Value::Varint(300)));
//! assert_eq!(fields.next().map(|field| field.value), Some(Value::Bytes(b"/host:CPU")));
//! assert_eq!(fields.next(), None);
//! ```
//!
//! Constraints:
//! - No I/O, no dependencies. Reading borrows from the input and copies nothing.
//! - Nothing is trusted. Lengths are checked against what is there, nothing is allocated from a
//!   length in the input, there is no recursion. Damage is a value, [`WireError`], and what stands
//!   before it has been read.
//! - Decoding a profile is mostly this code, so what runs for every field is `#[inline]`: it has to
//!   compile into the loops of other crates.

mod cursor;
mod field;
mod message;
mod numbers;
mod write;

pub use cursor::Cursor;
pub use field::{Field, Value, WireError};
pub use message::{Fields, lossy, message_fields, number_fields};
pub use numbers::Numbers;
pub use write::{
    close_message, open_message, push_bytes, push_fixed64, push_message, push_number, push_signed,
    push_varint, varint_len,
};
