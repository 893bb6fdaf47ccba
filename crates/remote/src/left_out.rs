//! In place of `network.rs` where a build has no clients of buckets and web servers: every answer is
//! an error that says how to get them.

use std::ops::Range;
use std::path::PathBuf;

use bytes::Bytes;

use crate::address::Address;
use crate::cache::Entry;
use crate::error::{RemoteError, RemoteErrorKind};
use crate::object::{Interest, Listing, Object};
use crate::stored::{Stored, Whole};

pub(crate) fn left_out(url: &str) -> RemoteError {
    let message = "this build of Stepscope does not read buckets and web servers";
    RemoteError::new(RemoteErrorKind::Other, url, message)
        .with_hint("build it with `--features remote`, or copy the files to this machine")
}

pub(crate) use left_out as lost;

pub(crate) fn list(address: &Address, _interest: &Interest) -> Result<Listing, RemoteError> {
    Err(left_out(&address.url))
}

pub(crate) fn fetch(
    objects: &[Object],
    wanted: &[usize],
    _progress: &dyn Fn(usize, u64),
) -> Vec<(usize, Result<PathBuf, RemoteError>)> {
    let fetched = wanted.iter();
    fetched
        .map(|&position| (position, Err(left_out(&objects[position].url))))
        .collect()
}

pub(crate) fn beginning(object: &Object, _count: u64) -> Result<Vec<u8>, RemoteError> {
    Err(left_out(&object.url))
}

pub(crate) fn fill(
    object: &Object,
    _entry: Entry,
    _ranges: &[Range<u64>],
    _progress: &dyn Fn(u64),
) -> Result<(Entry, Result<(), RemoteError>), RemoteError> {
    Err(left_out(&object.url))
}

pub(crate) fn stored(address: &Address, _below: &str) -> Result<Vec<Stored>, RemoteError> {
    Err(left_out(&address.url))
}

pub(crate) fn whole(
    address: &Address,
    names: &[String],
    _most_bytes: u64,
) -> Vec<Result<Option<Whole>, RemoteError>> {
    names.iter().map(|_| Err(left_out(&address.url))).collect()
}

pub(crate) fn put(address: &Address, _name: &str, _bytes: Bytes) -> Result<String, RemoteError> {
    Err(left_out(&address.url))
}

pub(crate) fn delete(address: &Address, _names: &[String]) -> Result<(), RemoteError> {
    Err(left_out(&address.url))
}
