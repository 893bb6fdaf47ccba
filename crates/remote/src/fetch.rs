//! Fetching files into the cache: many at once, large ones in parallel ranges, and none twice.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::sync::Semaphore;

use crate::address::{Address, Scheme};
use crate::cache::{self, Entry};
use crate::error::{RemoteError, RemoteErrorKind};
use crate::object::Object;
use crate::source::Source;
use crate::{runtime, ssh};

/// Bytes asked for at a time: large enough that latency does not matter, small enough that little
/// is lost when a connection breaks.
const CHUNK_BYTES: u64 = 8 << 20;
/// Requests under way at a time, over all files.
const REQUESTS: usize = 12;
/// How often a chunk is asked for again.
const ATTEMPTS: u32 = 4;

/// What a task tells the thread that waits for it.
enum Told {
    Bytes(usize, u64),
    Done(usize, Result<PathBuf, RemoteError>),
}

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
        fetch_network(objects, &of_network, progress, &mut results);
    }
    if !is_all_here {
        cache::evict();
    }
    let nothing = |position: usize| {
        let url = &objects[position].url;
        Err(RemoteError::new(
            RemoteErrorKind::Other,
            url,
            "it was not fetched",
        ))
    };
    let results = results.into_iter().enumerate();
    results
        .map(|(position, result)| result.unwrap_or_else(|| nothing(position)))
        .collect()
}

fn is_of_machine(object: &Object) -> bool {
    Address::parse(&object.url).is_ok_and(|address| address.scheme == Scheme::Machine)
}

fn fetch_network(
    objects: &[Object],
    wanted: &[usize],
    progress: &dyn Fn(usize, u64),
    results: &mut [Option<Result<PathBuf, RemoteError>>],
) {
    let permits = Arc::new(Semaphore::new(REQUESTS));
    let (sender, receiver) = mpsc::channel();
    for &position in wanted {
        let object = objects[position].clone();
        let (permits, sender) = (Arc::clone(&permits), sender.clone());
        let url = object.url.clone();
        let task = async move {
            let tell = |done| drop(sender.send(Told::Bytes(position, done)));
            let result = download(&object, &permits, &tell).await;
            let _ = sender.send(Told::Done(position, result));
        };
        if let Err(error) = runtime::begin(&url, task) {
            results[position] = Some(Err(error));
        }
    }
    drop(sender);
    // Ends when the last task has dropped its sender.
    for told in receiver {
        match told {
            Told::Bytes(position, done) => progress(position, done),
            Told::Done(position, result) => results[position] = Some(result),
        }
    }
}

async fn download(
    object: &Object,
    permits: &Semaphore,
    tell: &(impl Fn(u64) + Sync),
) -> Result<PathBuf, RemoteError> {
    let address = Address::parse(&object.url)?;
    let unwritten = |error: &io::Error| RemoteError::cache(&object.url, "written", error);
    let begun = {
        let object = object.clone();
        // Waits for the lock where another process fetches the same file.
        tokio::task::spawn_blocking(move || cache::begin(&object)).await
    };
    let begun = begun.unwrap_or_else(|error| Err(io::Error::other(error)));
    let Some(mut entry) = begun.map_err(|error| unwritten(&error))? else {
        tell(object.size_bytes);
        return cache::kept(object).ok_or_else(|| unwritten(&io::ErrorKind::NotFound.into()));
    };
    let source = Source::of(&address).await?;
    let fetched = fill(&source, object, &mut entry, permits, tell).await;
    if let Err(error) = fetched {
        if error.kind == RemoteErrorKind::Credentials {
            Source::forget(&address);
        }
        return Err(error);
    }
    entry.finish().map_err(|error| unwritten(&error))
}

/// Fetches the chunks that are missing.
async fn fill(
    source: &Source,
    object: &Object,
    entry: &mut Entry,
    permits: &Semaphore,
    tell: &(impl Fn(u64) + Sync),
) -> Result<(), RemoteError> {
    let count = u32::try_from(object.size_bytes.div_ceil(CHUNK_BYTES)).map_err(|_| {
        RemoteError::new(
            RemoteErrorKind::Other,
            &object.url,
            "it is too large to be fetched",
        )
    })?;
    let file = entry.file().try_clone();
    let file = file.map_err(|error| RemoteError::cache(&object.url, "written", &error))?;
    let mut missing = (0..count)
        .filter(|chunk| !entry.done.contains(chunk))
        .collect::<Vec<_>>();
    let here: u64 = entry
        .done
        .iter()
        .map(|&chunk| length(&chunk_range(chunk, object)))
        .sum();
    let done = AtomicU64::new(here);
    let told = |bytes: u64| tell(done.fetch_add(bytes, Ordering::Relaxed).wrapping_add(bytes));
    told(0);
    let marked = |entry: &mut Entry, chunk| {
        let marked = entry.mark(chunk);
        marked.map_err(|error| RemoteError::cache(&object.url, "written", &error))
    };
    // The first one shows whether the server knows ranges at all.
    if missing.is_empty() {
        return Ok(());
    }
    let first = missing.remove(0);
    if chunk(source, object, &file, first, permits, &told).await? == Got::Whole {
        return Ok(());
    }
    marked(entry, first)?;
    let parts = missing.into_iter().map(|number| {
        let (file, told) = (&file, &told);
        async move {
            let got = chunk(source, object, file, number, permits, told).await;
            got.map(|_| number)
        }
    });
    let mut parts = stream::iter(parts).buffer_unordered(REQUESTS);
    while let Some(number) = parts.next().await {
        marked(entry, number?)?;
    }
    Ok(())
}

/// What an answer brought.
#[derive(Debug, PartialEq, Eq)]
enum Got {
    Part,
    /// The server does not know ranges: it sent everything.
    Whole,
}

/// Fetches one chunk, again where the connection breaks.
async fn chunk(
    source: &Source,
    object: &Object,
    file: &File,
    number: u32,
    permits: &Semaphore,
    told: &(impl Fn(u64) + Sync),
) -> Result<Got, RemoteError> {
    let mut pause = Duration::from_millis(250);
    for attempt in 1.. {
        let permit = permits.acquire().await;
        let mut written = 0;
        let result = chunk_once(source, object, file, number, &mut written, told).await;
        drop(permit);
        match result {
            Err(error) if error.kind == RemoteErrorKind::Unreachable && attempt < ATTEMPTS => {
                tracing::info!(%error, attempt, "asking again");
                // What was counted is fetched again.
                told(0_u64.wrapping_sub(written));
                tokio::time::sleep(pause).await;
                pause *= 3;
            }
            other => return other,
        }
    }
    Ok(Got::Part)
}

async fn chunk_once(
    source: &Source,
    object: &Object,
    file: &File,
    number: u32,
    written: &mut u64,
    told: &(impl Fn(u64) + Sync),
) -> Result<Got, RemoteError> {
    let mut range = chunk_range(number, object);
    let answer = source.read(object, range.clone()).await?;
    let is_whole = !answer.is_part && length(&range) != object.size_bytes;
    if is_whole {
        range = 0..object.size_bytes;
    }
    let mut bytes = answer.bytes;
    while let Some(some) = bytes.next().await {
        let some = some?;
        let count = some.len() as u64;
        if *written + count > length(&range) {
            return Err(crate::http::changed(object));
        }
        write_at(file, &some, range.start + *written)
            .map_err(|error| RemoteError::cache(&object.url, "written", &error))?;
        *written += count;
        told(count);
    }
    if *written < length(&range) {
        let message = format!(
            "the connection ended after {written} of {} bytes",
            length(&range)
        );
        return Err(RemoteError::new(
            RemoteErrorKind::Unreachable,
            &object.url,
            message,
        ));
    }
    Ok(if is_whole { Got::Whole } else { Got::Part })
}

fn chunk_range(number: u32, object: &Object) -> Range<u64> {
    let first = u64::from(number) * CHUNK_BYTES;
    first..(first + CHUNK_BYTES).min(object.size_bytes)
}

const fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        bytes = &bytes[count..];
        offset += count as u64;
    }
    Ok(())
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
        let object = object.clone();
        return runtime::wait(&object.url.clone(), async move {
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
        .ok();
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
