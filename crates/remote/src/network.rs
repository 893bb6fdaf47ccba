//! Buckets and web servers, for callers that wait: each function hands its work to the runtime and
//! takes the result on the calling thread. `left_out.rs` stands in for it where a build has no clients.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc;

use futures_util::StreamExt as _;

use crate::address::Address;
use crate::cache::Entry;
use crate::download::{download, fill as fill_entry};
use crate::error::{RemoteError, RemoteErrorKind};
use crate::object::{Interest, Listing, Object};
use crate::runtime;
use crate::source::Source;

pub(crate) use crate::runtime::lost;

/// What lies at or below an address.
pub(crate) fn list(address: &Address, interest: &Interest) -> Result<Listing, RemoteError> {
    let (address, interest) = (address.clone(), *interest);
    runtime::wait(&address.url.clone(), async move {
        let source = Source::of(&address).await?;
        let listed = source.list(&address, &interest).await;
        if listed
            .as_ref()
            .is_err_and(|error| error.kind == RemoteErrorKind::Credentials)
        {
            Source::forget(&address);
        }
        listed
    })
}

/// What a task tells the thread that waits for it.
enum Told {
    Bytes(usize, u64),
    Done(usize, Result<PathBuf, RemoteError>),
}

/// Fetches the objects at the positions `wanted`, side by side: where each is, as they come.
pub(crate) fn fetch(
    objects: &[Object],
    wanted: &[usize],
    progress: &dyn Fn(usize, u64),
) -> Vec<(usize, Result<PathBuf, RemoteError>)> {
    let (sender, receiver) = mpsc::channel();
    let mut results = Vec::new();
    for &position in wanted {
        let object = objects[position].clone();
        let sender = sender.clone();
        let url = object.url.clone();
        let task = async move {
            let tell = |done| drop(sender.send(Told::Bytes(position, done)));
            let result = download(&object, &tell).await;
            let _ = sender.send(Told::Done(position, result));
        };
        if let Err(error) = runtime::begin(&url, task) {
            results.push((position, Err(error)));
        }
    }
    drop(sender);
    // Ends when the last task has dropped its sender.
    for told in receiver {
        match told {
            Told::Bytes(position, done) => progress(position, done),
            Told::Done(position, result) => results.push((position, result)),
        }
    }
    results
}

/// The first bytes of an object, without the rest.
pub(crate) fn beginning(object: &Object, count: u64) -> Result<Vec<u8>, RemoteError> {
    let object = object.clone();
    runtime::wait(&object.url.clone(), async move {
        let address = Address::parse(&object.url)?;
        let source = Source::of(&address).await?;
        let end = count.min(object.size_bytes);
        let mut answer = source.read(&object, 0..end).await?.bytes;
        let mut head = Vec::new();
        while (head.len() as u64) < end
            && let Some(some) = answer.next().await
        {
            head.extend_from_slice(&some?);
        }
        head.truncate(usize::try_from(end).unwrap_or(usize::MAX));
        Ok(head)
    })
}

/// What a task that fills an entry tells the thread that waits for it.
enum Filled {
    Bytes(u64),
    Done(Entry, Result<(), RemoteError>),
}

/// Fetches those of the ranges that are missing into an entry of the cache, and hands it back.
pub(crate) fn fill(
    object: &Object,
    mut entry: Entry,
    ranges: &[Range<u64>],
    progress: &dyn Fn(u64),
) -> Result<(Entry, Result<(), RemoteError>), RemoteError> {
    let (own, ranges) = (object.clone(), ranges.to_vec());
    let (sender, receiver) = mpsc::channel();
    runtime::begin(&object.url, async move {
        let tell = |done| drop(sender.send(Filled::Bytes(done)));
        let result = fill_entry(&own, &mut entry, &ranges, &tell).await;
        let _ = sender.send(Filled::Done(entry, result));
    })?;
    for told in receiver {
        match told {
            Filled::Bytes(done) => progress(done),
            Filled::Done(entry, result) => return Ok((entry, result)),
        }
    }
    Err(lost(&object.url))
}
