//! Fetching files into the cache: many at once, and none twice.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use crate::address::{Address, Scheme};
use crate::cache;
use crate::error::{RemoteError, RemoteErrorKind};
use crate::object::Object;
use crate::{network, ssh};

/// Fetches what is not here yet and gives where each file is now, in their order. `progress` is told
/// the position of a file and how many of its bytes are here, on the calling thread.
pub fn fetch(
    objects: &[Object],
    progress: &dyn Fn(usize, u64),
) -> Vec<Result<PathBuf, RemoteError>> {
    // Several entries of one archive are one file: it is fetched for the first that wants it.
    let mut firsts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut distinct: Vec<Object> = Vec::new();
    let places: Vec<usize> = objects
        .iter()
        .map(|object| {
            *firsts
                .entry((&object.url, &object.version))
                .or_insert_with(|| {
                    distinct.push(object.clone());
                    distinct.len() - 1
                })
        })
        .collect();
    let told = |place: usize, done: u64| {
        let wanted = places
            .iter()
            .enumerate()
            .filter(|(_, other)| **other == place);
        wanted.for_each(|(position, _)| progress(position, done));
    };
    let fetched = fetch_distinct(&distinct, &told);
    places
        .into_iter()
        .map(|place| fetched[place].clone())
        .collect()
}

fn fetch_distinct(
    objects: &[Object],
    progress: &dyn Fn(usize, u64),
) -> Vec<Result<PathBuf, RemoteError>> {
    let mut results: Vec<Option<Result<PathBuf, RemoteError>>> = objects
        .iter()
        .map(|object| cache::kept(object).map(Ok))
        .collect();
    let missing = |results: &[Option<_>], is_machine: bool| -> Vec<usize> {
        let positions = (0..objects.len()).filter(|&position| results[position].is_none());
        let is_wanted = |position: &usize| is_of_machine(&objects[*position]) == is_machine;
        positions.filter(is_wanted).collect()
    };
    for (position, object) in objects.iter().enumerate() {
        if results[position].is_some() {
            progress(position, object.size_bytes);
        }
    }
    let of_machines = missing(&results, true);
    let of_network = missing(&results, false);
    let is_all_here = of_machines.is_empty() && of_network.is_empty();
    if !of_machines.is_empty() {
        for (position, result) in ssh::fetch(objects, &of_machines, progress) {
            results[position] = Some(result);
        }
    }
    if !of_network.is_empty() {
        for (position, result) in network::fetch(objects, &of_network, progress) {
            let known = match &result {
                Err(error) if error.is_out_of_reach() => cache::kept_once(&objects[position]),
                _ => None,
            };
            results[position] = Some(known.map_or(result, Ok));
        }
    }
    if !is_all_here {
        cache::evict();
    }
    let nothing = |position: usize| {
        let url = &objects[position].url;
        Err(RemoteError::new(
            RemoteErrorKind::Other,
            url,
            "the file was not fetched",
        ))
    };
    let results = results.into_iter().enumerate();
    results
        .map(|(position, result)| result.unwrap_or_else(|| nothing(position)))
        .collect()
}

pub(crate) fn is_of_machine(object: &Object) -> bool {
    Address::parse(&object.url).is_ok_and(|address| address.scheme == Scheme::Machine)
}

/// The first bytes of files, without fetching these whole where that can be avoided; nothing where
/// they cannot be had.
pub fn beginnings(objects: &[Object], count: u64) -> Vec<Option<Vec<u8>>> {
    objects
        .iter()
        .map(|object| beginning(object, count))
        .collect()
}

fn beginning(object: &Object, count: u64) -> Option<Vec<u8>> {
    if cache::kept(object).is_none() && !is_of_machine(object) {
        return network::beginning(object, count).ok();
    }
    let path = fetch(std::slice::from_ref(object), &|_, _| {})
        .pop()?
        .ok()?;
    let mut head = Vec::new();
    File::open(path)
        .ok()?
        .take(count)
        .read_to_end(&mut head)
        .ok()?;
    Some(head)
}
