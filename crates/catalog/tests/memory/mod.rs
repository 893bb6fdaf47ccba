//! A bucket in memory.

#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::sync::Mutex;

use bytes::Bytes;
use stepscope_catalog::Objects;
use stepscope_remote::{RemoteError, RemoteErrorKind, Stored, Whole};

/// A bucket: names, times of writing, contents. It counts what is asked of it.
#[derive(Debug, Default)]
pub(crate) struct Memory(Mutex<State>);

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) objects: BTreeMap<String, (i64, Bytes)>,
    pub(crate) clock: i64,
    pub(crate) lists: usize,
    pub(crate) reads: usize,
    /// Objects that were asked for together, each time.
    pub(crate) together: Vec<usize>,
    pub(crate) writes: usize,
    /// What is not allowed: `list`, `read`, `write`, `remove`.
    pub(crate) refused: &'static str,
}

impl Memory {
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.0.lock().expect("a bucket"))
    }

    fn asked(&self, what: &str) -> Result<std::sync::MutexGuard<'_, State>, RemoteError> {
        let state = self.0.lock().expect("a bucket");
        if state.refused.split(' ').any(|refused| refused == what) {
            return Err(RemoteError {
                kind: RemoteErrorKind::Refused,
                message: format!("no permission to {what}"),
                url: self.url().to_owned(),
                hint: "ask for it".to_owned(),
            });
        }
        Ok(state)
    }

    pub(crate) fn names(&self, below: &str) -> Vec<String> {
        let below = |name: &&String| name.starts_with(below);
        self.with(|state| state.objects.keys().filter(below).cloned().collect())
    }

    pub(crate) fn put(&self, name: &str, bytes: impl Into<Bytes>) {
        self.with(|state| {
            state.clock += 1;
            let object = (state.clock, bytes.into());
            state.objects.insert(name.to_owned(), object);
        });
    }

    pub(crate) fn get(&self, name: &str) -> Bytes {
        self.with(|state| state.objects[name].1.clone())
    }
}

impl Objects for Memory {
    fn url(&self) -> &'static str {
        "s3://lab/catalog"
    }

    fn list(&self, below: &str) -> Result<Vec<Stored>, RemoteError> {
        let mut state = self.asked("list")?;
        state.lists += 1;
        let objects = state.objects.iter();
        let objects =
            objects.filter(|(name, _)| below.is_empty() || name.starts_with(&format!("{below}/")));
        let stored = objects.map(|(name, (written, bytes))| Stored {
            name: name.clone(),
            size_bytes: bytes.len() as u64,
            modified_epoch_ms: *written,
            version: format!("v{written}"),
        });
        Ok(stored.collect())
    }

    fn read(&self, names: &[String], most_bytes: u64) -> Vec<Result<Option<Whole>, RemoteError>> {
        let read = |name: &String| {
            let mut state = self.asked("read")?;
            state.reads += 1;
            let found = state.objects.get(name);
            Ok(found.map(|(written, bytes)| {
                assert!(bytes.len() as u64 <= most_bytes);
                Whole {
                    bytes: bytes.clone(),
                    version: format!("v{written}"),
                }
            }))
        };
        self.with(|state| state.together.push(names.len()));
        names.iter().map(read).collect()
    }

    fn write(&self, name: &str, bytes: Bytes) -> Result<String, RemoteError> {
        self.asked("write")?.writes += 1;
        self.put(name, bytes);
        Ok(self.with(|state| format!("v{}", state.clock)))
    }

    fn remove(&self, names: &[String]) -> Result<(), RemoteError> {
        let mut state = self.asked("remove")?;
        for name in names {
            state.objects.remove(name);
        }
        Ok(())
    }
}
